# The commands of this project; CONTRIBUTING.md says when to use which.

# Each test binary starts at most one server of each kind; go runs as many
# binaries at a time as there are processors.
TEST_TIMEOUT ?= 20m
STATICCHECK  := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: help setup build demo test unit check format vet staticcheck race docs bench bench-lint bench-postgres bench-mysql clean corpus conformance-postgres conformance-mysql clients test-vitess fuzz fuzz-report fuzz-budget fuzz-server

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-22s %s\n", $$1, $$2 }' Makefile

setup: ## install what the tests need; quick when nothing is missing
	@bash scripts/setup

build: ## build bin/rowcap
	go build -trimpath -o bin/rowcap ./cmd/rowcap

# The demo reads MySQL's grammar only, so it does without the C compiler.
demo: ## show what a row cap that tells is, with a database of its own
	@echo "Building; that takes some minutes the first time."
	@cd demo && CGO_ENABLED=0 go run . $(DEMO_ARGS)

test: setup ## set up, then run all tests
	go test -timeout $(TEST_TIMEOUT) ./...
	CGO_ENABLED=0 go test -timeout $(TEST_TIMEOUT) ./dialect/postgres/...
	cd demo && CGO_ENABLED=0 go test -timeout $(TEST_TIMEOUT) ./...

check: format vet staticcheck race ## formatting, vet, staticcheck, and all tests with the race detector

format: ## fail if a file is not as gofmt writes it
	@files=$$(gofmt -l .); \
	if [ -n "$$files" ]; then echo "not as gofmt writes them (gofmt -w):"; echo "$$files"; exit 1; fi

vet: ## go vet, with and without cgo
	go vet ./...
	CGO_ENABLED=0 go vet ./...
	cd demo && CGO_ENABLED=0 go vet ./...

staticcheck: ## staticcheck at a pinned version
	go run $(STATICCHECK) ./...
	cd demo && CGO_ENABLED=0 go run $(STATICCHECK) ./...

# The layout and the generated documentation are held by tests too.
race: setup ## all tests with the race detector
	go test -race -timeout $(TEST_TIMEOUT) ./...

docs: ## write the generated pages of docs/ again
	go test . -run 'Doc$$' -update

bench: ## measure what a plan costs, and write docs/performance.md
	bash scripts/bench

bench-lint: ## measure rowcap lint beside other linters and parsers, and write docs/performance.md; installs them
	bash scripts/bench-lint

bench-postgres: ## measure the PostgreSQL sidecar beside PgBouncer and haproxy, and write docs/performance.md; takes half an hour
	bash scripts/bench-postgres

bench-mysql: ## measure the MySQL sidecar beside haproxy, and write docs/performance.md; takes half an hour
	bash scripts/bench-mysql

clean: ## remove what build wrote
	rm -rf bin

# An ordinary test run takes a sample of the files.
corpus: setup ## check every query of the servers' own test suites, and write docs/correctness.md; takes an hour
	bash scripts/corpus
	go test ./internal/corpus -run 'TestCorpus$$' -timeout 6h -v -all -update

conformance-postgres: setup ## run PostgreSQL's and the drivers' own test suites through the sidecar, and write docs/conformance.md; takes half an hour
	bash scripts/conformance-postgres

conformance-mysql: setup ## run MariaDB's, its client library's and the drivers' own test suites through the sidecar, and write docs/conformance.md; takes two hours
	bash scripts/conformance-mysql

clients: setup ## run every client through the sidecar, and write docs/conformance.md; installs the clients
	bash scripts/clients/install
	go test ./internal/conformance -run 'TestClients' -timeout 40m -count 1 -v -every -update

test-vitess: setup ## run the sidecar before a Vitess cluster of two shards, and two sidecars behind haproxy; builds Vitess once
	bash scripts/vitess
	go test ./internal/conformance -run 'TestVitess' -timeout 20m -count 1 -v -every

# How long each fuzz target runs, all of them together, and how many statements and
# conversations are drawn for each server; docs/fuzzing.md.
FUZZTIME   ?= 30s
FUZZBUDGET ?= 180
FUZZCHECKS ?= 20000

fuzz: ## run every fuzz target for FUZZTIME (30s)
	bash scripts/fuzz run $(FUZZTIME)

fuzz-budget: ## run every fuzz target, for FUZZBUDGET (180) seconds together
	bash scripts/fuzz budget $(FUZZBUDGET)

fuzz-server: setup ## draw FUZZCHECKS (20000) statements and conversations for each server, straight and through the sidecar
	go test ./internal/property -run 'Postgres|MariaDB|MySQL' -count 1 -timeout 12h -rapid.checks $(FUZZCHECKS)
	go test ./proxy/pgwire ./proxy/mysqlwire -run 'TestModel$$' -count 1 -timeout 12h -rapid.checks $(FUZZCHECKS)

fuzz-report: ## say what the fuzz targets did on this machine: executions, new inputs, seconds
	@bash scripts/fuzz report
