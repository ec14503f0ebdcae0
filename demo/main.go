// Command demo shows what a row cap that tells is: an embedded database with the
// invoices of a shop, rowcap in front of it, and one question asked three ways.
// Then it stays up for a client of one's own, until Ctrl-C.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/internal/demo"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/rewrite"
)

func main() {
	flags := flag.NewFlagSet("demo", flag.ExitOnError)
	once, _ := strconv.ParseBool(os.Getenv("ROWCAP_DEMO_ONCE"))
	flags.BoolVar(&once, "once", once, "end after the story (or ROWCAP_DEMO_ONCE=1)")
	listen := flags.String("listen", "127.0.0.1:0", "where rowcap listens, `host:port`; port 0 is a free one")
	flags.Parse(os.Args[1:])
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *listen, once); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run tells the story and, unless once is set, stays up until ctx is done.
func run(ctx context.Context, w io.Writer, listen string, once bool) (err error) {
	start := time.Now()
	engine, err := startEngine(ctx)
	if err != nil {
		return err
	}
	defer engine.stop()
	place, err := demo.ParsePlace("mysql://root@" + engine.address + "/" + database)
	if err != nil {
		return err
	}
	door, err := openDoor(ctx, listen, place.Address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, door.close()) }()
	fmt.Fprintf(w, "rowcap demo, ready after %.1f s.\n\n", time.Since(start).Seconds())

	story, err := story(place, door.address)
	if err != nil {
		return err
	}
	if err := story.Tell(ctx, w); err != nil || once {
		return err
	}
	if err := place.Invite(w, door.address, database); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nCtrl-C ends the demo.\n")
	return door.wait(ctx)
}

// story is the story of the embedded database with rowcap at door.
func story(place demo.Place, door string) (demo.Story, error) {
	d, err := dialect.Lookup(place.Dialect)
	if err != nil {
		return demo.Story{}, err
	}
	client, err := rewrite.New(d, demo.NoLimits())
	return demo.Story{
		Direct: place.DSN(database), Through: place.By(door, database),
		Server: "an embedded database that speaks MySQL's protocol at " + place.Address, Door: door,
		Cap: rewrite.DefaultPolicy().DefaultLimit, Client: client,
	}, err
}

// door is rowcap in front of the embedded database.
type door struct {
	address string
	stop    context.CancelFunc
	ended   chan error
}

func openDoor(ctx context.Context, listen, upstream string) (*door, error) {
	d, err := dialect.Lookup("mysql")
	if err != nil {
		return nil, err
	}
	r, err := rewrite.New(d, rewrite.DefaultPolicy())
	if err != nil {
		return nil, err
	}
	route, err := proxy.ParseRoute(listen + "=" + upstream)
	if err != nil {
		return nil, err
	}
	server := &proxy.Server{Drain: time.Second}
	address, err := server.Listen(route, mysqlwire.New(route.Upstreams[0], r, proxy.NoObserver{}))
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	o := &door{address: address.String(), stop: stop, ended: make(chan error, 1)}
	go func() { o.ended <- server.Serve(ctx) }()
	return o, nil
}

// wait returns when ctx is done, or when the door has failed.
func (d *door) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-d.ended:
		d.ended <- nil
		return err
	}
}

// close ends the sessions and the door.
func (d *door) close() error {
	d.stop()
	return <-d.ended
}
