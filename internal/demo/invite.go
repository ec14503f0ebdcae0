package demo

import (
	"io"
	"net"
	"net/url"
)

// Invite says how to connect one's own client to rowcap at door, host:port.
func (p Place) Invite(w io.Writer, door, schema string) error {
	host, port, err := net.SplitHostPort(door)
	if err != nil {
		return err
	}
	page := &page{w: w}
	page.line("")
	page.line("Now with a client of your own, through rowcap at " + door + ":")
	page.line("")
	user := p.User()
	if p.Dialect == "postgres" {
		page.say("psql \"host=%s port=%s user=%s dbname=%s options=-csearch_path=%s\"", host, port, user, p.Database(), schema)
		page.line("")
		page.say("The warning is psql's WARNING after the rows. Any driver takes %s", p.shareable(door, schema))
	} else {
		login := "--user=" + user
		if _, secret := p.url.User.Password(); secret {
			login += " --password"
		}
		page.say("mariadb --show-warnings --host=%s --port=%s %s %s", host, port, login, schema)
		page.say("mysql   --show-warnings --host=%s --port=%s %s %s", host, port, login, schema)
		page.line("")
		page.say("Without --show-warnings the client prints \"1 warning\"; SHOW WARNINGS tells the rest.")
		page.say("Any driver takes %s; for Go: %s@tcp(%s)/%s", p.shareable(door, schema), user, door, schema)
	}
	page.line("")
	page.say("Try:  SELECT * FROM invoices;")
	page.say("      SELECT * FROM invoices LIMIT 5000;")
	page.say("      SELECT status, count(*) FROM invoices GROUP BY status;")
	return page.err
}

// shareable is the URL by way of door, less the password.
func (p Place) shareable(door, schema string) string {
	if name := p.User(); name != "" {
		p.url.User = url.User(name)
	}
	return p.By(door, schema)
}
