// Package telemetry tells operators what rowcap does: log lines, metrics and
// health. Nothing in it ever holds the text of a statement, so no literal of a
// query can leak into a log.
package telemetry

import (
	"fmt"
	"io"
	"log/slog"
)

// NewLog returns a logger that writes to w. Format is text or json; level is
// debug, info, warn or error.
func NewLog(w io.Writer, format, level string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q is not known: use debug, info, warn or error", level)
	}
	options := &slog.HandlerOptions{Level: l}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return nil, fmt.Errorf("log format %q is not known: use text or json", format)
}
