package pgwire

import "github.com/rowcap/rowcap/proxy"

// Where a rule of pg_hba.conf says peer, the server takes the operating system's user
// at the other end of its unix socket for the login. That is whoever runs rowcap, so a
// client that gives this user's name would be let in without a question. The server
// does not say that it was by peer; under trust it asks nothing either.

// borrows says whether a client that gives this name may be let in as rowcap itself. A
// client that is that user already needs not borrow it. Where the system has no name
// for rowcap's user, the server's system may, and any may be it.
func (e *entry) borrows(name string, at proxy.Address) bool {
	own := proxy.OSUser()
	return at.Network == "unix" && (own == "" || own == name) && !e.same
}

const identityHint = "run rowcap as a user of the operating system that has a name, and no role in the database, or have it reach the server by TCP"

// borrowed is the end of a login that nothing was asked for.
func borrowed() *fault {
	return &fault{severity: severityFatal, code: codeAuthorization,
		message: "the login is refused: the server asked for nothing, and on its socket it may have taken rowcap's own user of the operating system for the client",
		hint:    identityHint + ", or let the server ask for a password"}
}

// borrowedReplication is borrowed for a replication connection, whose login is the
// server's alone to follow: what the client sends is carried before the answer comes.
func borrowedReplication() *fault {
	return &fault{severity: severityFatal, code: codeAuthorization,
		message: "the replication connection is refused: on the server's socket the client may be taken for rowcap's own user of the operating system",
		hint:    identityHint}
}
