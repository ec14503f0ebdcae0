package telemetry

import (
	"maps"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/rowcap/rowcap/rewrite"
)

// Metrics are rowcap's counters. They are safe for concurrent use, and counting
// takes no lock and no memory once a combination of labels has been seen.
type Metrics struct {
	registry   *prometheus.Registry
	sessions   *prometheus.GaugeVec
	started    family[string]
	failed     family[string]
	statements family[statementLabels]
	answers    family[answerLabels]
	rows       family[string]
	observed   family[observedLabels]
	beyond     family[string]
}

type statementLabels struct {
	protocol string
	method   rewrite.Method
	source   rewrite.Source
	kind     rewrite.Kind
}

// observedLabels say what would have been done if the policy did not only observe:
// cut or refused.
type observedLabels struct{ protocol, would string }

type answerLabels struct {
	protocol     string
	completeness rewrite.Completeness
}

// NewMetrics returns metrics in a registry of their own, with those of the Go
// runtime and the process beside them. The counters of sessions and rows start
// at 0 for the given protocols; all others appear when they first count.
func NewMetrics(protocols ...string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.sessions = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "rowcap_sessions", Help: "Client sessions that are open now."}, []string{"protocol"})
	m.registry.MustRegister(m.sessions, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	one := func(protocol string) []string { return []string{protocol} }
	m.started = newFamily(m.registry, "rowcap_sessions_total", "Client sessions accepted.", []string{"protocol"}, one)
	m.failed = newFamily(m.registry, "rowcap_session_errors_total", "Sessions that ended with an error.", []string{"protocol"}, one)
	m.rows = newFamily(m.registry, "rowcap_rows_delivered_total", "Rows delivered to clients in whole answers.", []string{"protocol"}, one)
	m.statements = newFamily(m.registry, "rowcap_statements_total", "Statements planned, by what was decided.",
		[]string{"protocol", "method", "limit_source", "kind"}, func(l statementLabels) []string {
			return []string{l.protocol, l.method.String(), l.source.String(), l.kind.String()}
		})
	m.answers = newFamily(m.registry, "rowcap_answers_total", "Answers delivered to their end, by whether rows are missing.",
		[]string{"protocol", "completeness"}, func(l answerLabels) []string {
			return []string{l.protocol, l.completeness.String()}
		})
	m.observed = newFamily(m.registry, "rowcap_observed_total", "Answers that would have been cut and statements that would have been refused, where the policy only observes.",
		[]string{"protocol", "would"}, func(l observedLabels) []string { return []string{l.protocol, l.would} })
	m.beyond = newFamily(m.registry, "rowcap_observed_rows_total", "Rows that would not have been delivered, where the policy only observes.", []string{"protocol"}, one)
	for _, p := range protocols {
		m.sessions.WithLabelValues(p)
		for _, f := range []family[string]{m.started, m.failed, m.rows} {
			f.with(p)
		}
	}
	return m
}

// ServeHTTP writes all metrics in the Prometheus text format.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// family is a counter for each combination of labels L. The counters that exist
// are found without a lock.
type family[L comparable] struct {
	vec    *prometheus.CounterVec
	labels func(L) []string
	known  *atomic.Pointer[map[L]prometheus.Counter]
	adding *sync.Mutex
}

func newFamily[L comparable](r *prometheus.Registry, name, help string, names []string, labels func(L) []string) family[L] {
	f := family[L]{
		vec:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, names),
		labels: labels,
		known:  new(atomic.Pointer[map[L]prometheus.Counter]),
		adding: new(sync.Mutex),
	}
	f.known.Store(&map[L]prometheus.Counter{})
	r.MustRegister(f.vec)
	return f
}

func (f family[L]) with(l L) prometheus.Counter {
	if c, ok := (*f.known.Load())[l]; ok {
		return c
	}
	f.adding.Lock()
	defer f.adding.Unlock()
	c := f.vec.WithLabelValues(f.labels(l)...)
	grown := maps.Clone(*f.known.Load())
	grown[l] = c
	f.known.Store(&grown)
	return c
}
