package mysqlwire

import "github.com/rowcap/rowcap/proxy/mysqlwire/packet"

// infileHeader is the first byte of a server's request for the contents of a
// client's file (page_protocol_com_query_response_local_infile_request.html).
const infileHeader = 0xfb

// relayInfile relays the request. The client loop passes the contents on; the
// server speaks again when it has all of them.
func (a *answer) relayInfile(h packet.Header) error {
	if !a.caps.Has(packet.LocalFiles) {
		return &packet.MalformedError{Packet: "answer", Why: "it asks for a file though the client offers none"}
	}
	a.infileSeq = h.Seq + 1
	if _, err := a.client.out.forward(&a.up.in, h); err != nil {
		return err
	}
	a.hand(turnInfile)
	if err := a.flushClient(); err != nil {
		return err
	}
	// Wait for the server first: only then has the client loop had its turn.
	_, _, err := a.up.in.head()
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.turn == turnInfile {
		// The server complains before it has read all; the client has yet to
		// send the rest.
		a.up.in.LeaveLoop()
		a.cond.Wait()
	}
	a.client.out.seq = a.replySeq
	return nil
}

// passInfile passes one packet of a file's contents on. An empty one is the last.
func (s *session) passInfile(h packet.Header) error {
	s.up.out.seq = s.infileSeq
	if err := s.up.out.forwardOne(&s.client.in, h); err != nil {
		return err
	}
	s.infileSeq = s.up.out.seq
	if h.Length > 0 {
		return nil
	}
	if err := s.up.out.flush(); err != nil {
		return err
	}
	s.mu.Lock()
	s.replySeq = h.Seq + 1
	if s.turn == turnInfile {
		s.turn = turnAnswer
	}
	s.mu.Unlock()
	s.cond.Broadcast()
	return nil
}
