# perf: see README.md. `make demo` shows the main job on this machine, `make test` is what CI runs.

GO       ?= go
FUZZTIME ?= 3000x
# What CI fuzzes: parsers that need little of the module, which is compiled anew for that. The seeds of all targets are tests.
FUZZED   ?= cfront/cpp internal/yamlfile models polycount samples/exchange sass
# Tests make much garbage and keep little: it is collected rarely while memory is left.
RARELY   := GOGC=400 GOMEMLIMIT=2GiB

.PHONY: all build demo test check race fuzz bench opencl slurm clean

all: build

build:
	CGO_ENABLED=0 $(GO) build -o bin/perf ./cmd/perf

opencl:
	@./scripts/opencl.sh

slurm:
	@./scripts/slurm.sh

demo: opencl build
	@./scripts/demo.sh

test: opencl slurm check
	CGO_ENABLED=0 $(GO) build ./...
	$(RARELY) $(GO) test -vet=off -timeout 30m ./...
	@./scripts/fuzz.sh $(FUZZTIME) $(FUZZED)

# Formatting, vet, static analysis and a tidy go.mod; no test is run.
check:
	@unformatted=$$($(GO) tool gofumpt -l .); if [ -n "$$unformatted" ]; then echo "not gofumpt-clean:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) mod tidy -diff

# The race detector needs cgo and a C compiler.
race: opencl
	CGO_ENABLED=1 $(GO) test -race ./...

fuzz:
	@./scripts/fuzz.sh 1m

# Results are compared with `benchstat testdata/bench/baseline.txt new.txt`.
bench:
	$(GO) test -run '^$$' -bench . -count 6 ./...

clean:
	rm -rf bin
