package mysqlwire

import (
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// replicates refuses a command of replication, or passes it on where the policy says
// so. What the binary log holds is no rows that could be capped.
func (s *session) replicates(h packet.Header, c packet.Command, relay func() error) error {
	if p := s.rewriter.Policy(); p.Replication == rewrite.ReplicationPass || p.Observe {
		return s.pass(h, relay)
	}
	last, err := s.client.in.skip(h)
	if err != nil {
		return err
	}
	return s.reply(last, refused(&rewrite.RefusedError{
		Message: c.String() + " is refused: replication cannot be capped",
		Hint:    "connect to the server itself, or have the policy changed with --replication=pass",
	}).Append(nil))
}

// relayBinlog relays the events of the binary log, up to EOF where the client asked for
// what there is, else without an end. What the replica says meanwhile, as that it has
// received a transaction, the client loop passes on.
func (s *session) relayBinlog() error {
	s.hand(turnStream)
	for {
		h, first, err := s.up.in.head()
		if err != nil {
			return err
		}
		if _, err := s.client.out.forward(&s.up.in, h); err != nil {
			return err
		}
		if first == packet.ErrHeader || packet.EndsRows(h.Length, first, false) {
			s.hand(turnAnswer)
			return nil
		}
	}
}

// passStream passes on what a replica says while it reads the binary log.
func (s *session) passStream(h packet.Header) error {
	s.up.out.seq = h.Seq
	if _, err := s.up.out.forward(&s.client.in, h); err != nil {
		return err
	}
	return s.up.out.flush()
}
