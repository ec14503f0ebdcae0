package lint

import (
	"context"
	"io"
	"iter"
	"runtime"
)

// Run looks at the files that paths yields, on all processors, and yields the results
// in the order of the paths. It holds no more results at a time than a few for each
// processor. The path "-" is standard input, in.
func (l *Linter) Run(ctx context.Context, paths iter.Seq2[string, error], in io.Reader) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		workers := runtime.GOMAXPROCS(0)
		type job struct {
			path string
			done chan Result
		}
		jobs := make(chan job)
		order := make(chan chan Result, 4*workers)
		go func() {
			defer close(order)
			defer close(jobs)
			for path, err := range paths {
				done := make(chan Result, 1)
				select {
				case order <- done:
				case <-ctx.Done():
					return
				}
				if err != nil {
					done <- Result{Path: path, Err: err}
					continue
				}
				select {
				case jobs <- job{path, done}:
				case <-ctx.Done():
					return
				}
			}
		}()
		for range workers {
			go func() {
				for j := range jobs {
					if j.path == "-" {
						j.done <- l.Reader("stdin.sql", in)
					} else {
						j.done <- l.Path(j.path)
					}
				}
			}()
		}
		for done := range order {
			select {
			case r := <-done:
				if !yield(r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
