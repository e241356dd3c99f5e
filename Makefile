# `make help` lists what there is. Nothing but Go and make is needed for run, demo, test, lint, build, bench and fuzz;
# e2e installs what it needs (Python packages) below .cache/.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

TOOL := go tool -modfile=$(CURDIR)/internal/tools/go.mod
DIST := cmd/otelcol-serve
BIN := bin/otelcol-serve
FUZZTIME ?= 30s
BENCHCOUNT ?= 5
E2E_TIMEOUT ?= 40m
E2E_VENV := .cache/e2e

# Modules whose sources the checksum database cannot vouch for. go.sum does, so only working out a new go.mod needs this.
NOSUMDB := github.com/DataDog/datadog-agent,github.com/open-telemetry/opentelemetry-collector-contrib/connector/datadogconnector,github.com/open-telemetry/opentelemetry-collector-contrib/internal/datadog

.PHONY: help
help: ## List the targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Build, then run on the default configuration (ARGS="--set ..." changes it)
	$(BIN) $(ARGS)

.PHONY: demo
demo: build ## Show a recorded Ray run going through, in a temporary folder
	go run ./internal/demo -binary $(BIN)

.PHONY: test
test: ## Test the components
	$(TOOL) gotestsum --format pkgname -- ./...

.PHONY: race
race: ## Test the components with the race detector (needs a C compiler)
	$(TOOL) gotestsum --format pkgname -- -race ./...

.PHONY: lint
lint: ## Check formatting and style
	$(TOOL) golangci-lint run ./...
	GOOS=darwin go vet ./receiver/... ./processor/... ./exporter/... ./internal/...

.PHONY: generate
generate: ## Make the generated files again (mdatagen, ocb)
	GOBIN=$(CURDIR)/.cache/bin go install -modfile=internal/tools/go.mod go.opentelemetry.io/collector/cmd/mdatagen
	PATH="$(CURDIR)/.cache/bin:$$PATH" go generate ./...
	mkdir -p cmd/.ocb
	cp $(DIST)/go.mod $(DIST)/go.sum cmd/.ocb/
	GONOSUMDB=$(NOSUMDB) $(TOOL) builder --config builder-config.yaml --skip-compilation
	gofmt -w cmd/.ocb/components.go
	cp cmd/.ocb/components.go cmd/.ocb/go.mod cmd/.ocb/go.sum $(DIST)/

.PHONY: build
build: ## Compile bin/otelcol-serve (the first time: 1.5 GB of downloads, 5 to 6 minutes on 2 cores)
	@test -x $(BIN) || echo "building $(BIN); the first time takes some minutes"
	cd $(DIST) && CGO_ENABLED=0 go build -p 2 -trimpath -ldflags='-s -w' -o $(CURDIR)/$(BIN) .

.PHONY: bench
bench: ## Measure the components, with peers in the same run
	mkdir -p .cache
	go test -run='^$$' -bench=. -benchmem -count=$(BENCHCOUNT) ./internal/... ./receiver/... ./exporter/... | tee .cache/bench.txt
	$(TOOL) benchstat .cache/bench.txt

.PHONY: fuzz
fuzz: ## Fuzz every fuzz target for FUZZTIME
	@for package in $$(grep -rl '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
	  for target in $$(grep -rhoE '^func Fuzz[A-Za-z0-9_]+' $$package/*_test.go | cut -c6-); do \
	    echo "$$package $$target"; \
	    go test -run='^$$' -fuzz="^$$target$$" -fuzztime=$(FUZZTIME) $$package; \
	  done; \
	done

.PHONY: e2e
e2e: build $(E2E_VENV)/installed ## Test the binary beside real Ray, real Python SDKs and real Datadog tracers
	PYTHON=$(CURDIR)/$(E2E_VENV)/bin/python OTELCOL_SERVE=$(CURDIR)/$(BIN) \
	  $(TOOL) gotestsum --format standard-verbose -- -tags e2e -count=1 -p 1 -timeout $(E2E_TIMEOUT) ./e2e/...

$(E2E_VENV)/installed: e2e/requirements.txt
	e2e/install.sh $(E2E_VENV) e2e/requirements.txt
	touch $@

.PHONY: clean
clean: ## Remove what was built
	rm -rf bin .cache cmd/.ocb
