# The commands of this project; CONTRIBUTING.md says when to use which.

# Each test binary starts at most one server of each kind; go runs as many
# binaries at a time as there are processors.
TEST_TIMEOUT ?= 20m
STATICCHECK  := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: help setup build demo test unit check format vet staticcheck race docs bench bench-postgres clean corpus conformance-postgres clients

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

bench-postgres: ## measure the PostgreSQL sidecar beside PgBouncer and haproxy, and write docs/performance.md; takes half an hour
	bash scripts/bench-postgres

clean: ## remove what build wrote
	rm -rf bin

# An ordinary test run takes a sample of the files.
corpus: setup ## check every query of the servers' own test suites, and write docs/correctness.md; takes an hour
	bash scripts/corpus
	go test ./internal/corpus -run 'TestCorpus$$' -timeout 6h -v -all -update

conformance-postgres: setup ## run PostgreSQL's and the drivers' own test suites through the sidecar, and write docs/conformance.md; takes half an hour
	bash scripts/conformance-postgres

clients: setup ## run every client through the sidecar, and write docs/conformance.md; installs the clients
	bash scripts/clients/install
	go test ./internal/conformance -run 'TestClients$$' -timeout 40m -count 1 -v -every -update
