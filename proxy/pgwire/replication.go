package pgwire

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

// replicate carries a replication connection if the policy has it so: as bytes,
// from the first to the last, since what goes by it is no answer to a query that
// could be cut. It ends at once at a shutdown, as it has no end of its own.
func (d *Door) replicate(ctx context.Context, e *entry, first *startup) error {
	if p := d.Rewriter.Policy(); p.Replication != rewrite.ReplicationPass && !p.Observe {
		f := &fault{severity: severityFatal, code: codeUnsupported,
			message: "replication connections are refused: their rows cannot be capped",
			hint:    "connect to the server directly for replication and backups, or have the policy changed with --replication=pass"}
		e.tell(f)
		return f
	}
	server, at, err := d.reach(ctx)
	if err == nil && e.borrows(first.user, at) {
		server.Close()
		err = borrowedReplication()
	}
	if err != nil {
		if f, ok := err.(*fault); ok {
			e.tell(f)
		}
		return err
	}
	client := e.client()
	end := func() { client.Close(); server.Close() }
	defer end()
	defer proxy.OnShutdown(ctx, end, func() {})()
	if _, err := server.Write(first.packet); err != nil {
		return upstreamLost{err}
	}
	asked := make(chan error, 1)
	go func() {
		_, err := io.Copy(server, client)
		server.Close()
		asked <- err
	}()
	answered := d.replicated(client, server, e.secure)
	client.Close()
	if err := errors.Join(answered, <-asked); ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// replicated copies what the server says. During the start-up it goes by messages,
// as the server may offer a login that a client without TLS must not be offered.
func (d *Door) replicated(client, server net.Conn, secure bool) error {
	in := bufio.NewReader(server)
	for started := false; !started; {
		server.SetReadDeadline(time.Now().Add(d.StartupTimeout))
		head, err := in.Peek(headerSize)
		if err == io.EOF && len(head) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the upstream ended the start-up of a replication connection: %w", err)
		}
		kind, size, err := header(head)
		if err == nil {
			err = checkStart(kind, size)
		}
		if err != nil {
			return err
		}
		frame := make([]byte, headerSize+size)
		if _, err := io.ReadFull(in, frame); err != nil {
			return fmt.Errorf("the upstream ended the start-up of a replication connection: %w", err)
		}
		if kind == 'R' && !secure && size > 4 && binary.BigEndian.Uint32(frame[headerSize:]) == authSASL {
			if less, offered := withoutBinding(frame[headerSize:]); offered {
				frame = less
			}
		}
		if _, err := client.Write(frame); err != nil {
			return gone{err}
		}
		started = kind == 'Z'
	}
	server.SetReadDeadline(time.Time{})
	_, err := io.Copy(client, in)
	return err
}
