package proxy

import (
	"fmt"
	"runtime/debug"
)

// PanicError is the end of a session whose Protocol panicked, or returned it because a
// goroutine of the session's did.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// Recovered is the error for what recover returned. It is called in the function that
// called recover.
func Recovered(v any) *PanicError {
	if e, again := v.(*PanicError); again {
		return e
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}

// Apart runs f in a goroutine of its own and returns when it has, so that the stack that
// f takes is not the caller's from then on: what a session takes that waits is mostly
// that. A panic of f's becomes the caller's.
func Apart(f func()) {
	var failed *PanicError
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				failed = Recovered(v)
			}
		}()
		f()
	}()
	<-done
	if failed != nil {
		panic(failed)
	}
}
