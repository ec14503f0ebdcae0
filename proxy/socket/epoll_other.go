//go:build !linux

package socket

import "errors"

// poller is never opened here: see known.
type poller struct{}

func (*poller) open() error                     { return errors.ErrUnsupported }
func (*poller) close()                          {}
func (*poller) add(uintptr, int32, int32) error { return errors.ErrUnsupported }
func (*poller) wake()                           {}
func (*poller) wait([]event) int                { return 0 }
