package mcp

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// leaving has calls end with the requests that brought them: the answer to a client that
// has left cannot be delivered, and the library would have the call run on.
type leaving struct {
	number  atomic.Uint64
	waiting sync.Map // the contexts of requests by their numbers
}

// requestHeader carries the number of a request to its call. What clients send under this
// name is dropped.
const requestHeader = "Rowcap-Request"

// knows numbers a request until the function that it returns is called.
func (l *leaving) knows(r *http.Request) (forget func()) {
	number := strconv.FormatUint(l.number.Add(1), 10)
	r.Header.Set(requestHeader, number)
	l.waiting.Store(number, r.Context())
	return func() { l.waiting.Delete(number) }
}

// cancels has next run until the request has ended.
func (l *leaving) cancels(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, call sdk.Request) (sdk.Result, error) {
		if extra := call.GetExtra(); extra != nil && extra.Header != nil {
			if request, ok := l.waiting.Load(extra.Header.Get(requestHeader)); ok {
				within, cancel := context.WithCancel(ctx)
				defer cancel()
				defer context.AfterFunc(request.(context.Context), cancel)()
				ctx = within
			}
		}
		return next(ctx, method, call)
	}
}
