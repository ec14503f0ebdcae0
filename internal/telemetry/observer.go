package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

// Observer counts what happens in sessions and logs sessions that failed.
type Observer struct {
	metrics *Metrics
	log     *slog.Logger
}

var _ proxy.Observer = (*Observer)(nil)

// NewObserver returns an Observer that counts in m and logs to log.
func NewObserver(m *Metrics, log *slog.Logger) *Observer {
	return &Observer{metrics: m, log: log}
}

// SessionStarted counts a session.
func (o *Observer) SessionStarted(protocol string) {
	o.metrics.started.with(protocol).Inc()
	o.metrics.sessions.WithLabelValues(protocol).Inc()
}

// SessionEnded counts the end of a session and, if it failed, logs one line
// with the client's address and the cause.
func (o *Observer) SessionEnded(protocol string, client net.Addr, err error) {
	o.metrics.sessions.WithLabelValues(protocol).Dec()
	if err == nil {
		return
	}
	o.metrics.failed.with(protocol).Inc()
	if p := (*proxy.PanicError)(nil); errors.As(err, &p) {
		return // the server has logged it with its stack
	}
	o.log.Warn("session failed", "protocol", protocol, "client", clientName(client), "error", err.Error())
}

// Planned counts a statement. One that would be refused, if the policy did not only
// observe, is logged.
func (o *Observer) Planned(protocol string, p rewrite.Plan) {
	o.metrics.statements.with(statementLabels{protocol, p.Method, p.Cap.Source, p.Statement.Kind}).Inc()
	if !p.Observed || p.Method != rewrite.MethodRefuse {
		return
	}
	o.metrics.observed.with(observedLabels{protocol, "refuse"}).Inc()
	o.log.Info("statement would be refused", "protocol", protocol, "kind", p.Statement.Kind.String(), "why", p.Why)
}

// Answered counts an answer and its rows. One with rows missing is logged at
// debug level, one that would be cut, if the policy did not only observe, at info
// level.
func (o *Observer) Answered(protocol string, out rewrite.Outcome) {
	o.metrics.answers.with(answerLabels{protocol, out.Completeness}).Inc()
	o.metrics.rows.with(protocol).Add(float64(out.Rows))
	if out.Beyond > 0 {
		o.metrics.observed.with(observedLabels{protocol, "cut"}).Inc()
		o.metrics.beyond.with(protocol).Add(float64(out.Beyond))
		o.log.Info("answer would be cut", "protocol", protocol, "kind", out.Plan.Statement.Kind.String(), "method", out.Plan.Method.String(),
			"rows", out.Rows, "beyond", out.Beyond, "limit", out.Plan.Cap.Rows, "limit_source", out.Plan.Cap.Source.String())
	}
	if out.Completeness == rewrite.Complete || !o.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	o.log.Debug("answer capped", "protocol", protocol, "completeness", out.Completeness.String(),
		"kind", out.Plan.Statement.Kind.String(), "method", out.Plan.Method.String(), "rows", out.Rows,
		"limit_source", out.Plan.Cap.Source.String())
}

// clientName is the client's address; clients of unix sockets have none.
func clientName(a net.Addr) string {
	if a == nil {
		return "unknown"
	}
	if a.Network() == "unix" && (a.String() == "" || a.String() == "@") {
		return "unix socket"
	}
	return a.String()
}
