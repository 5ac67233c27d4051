# perf: see README.md. `make demo` shows the main job on this machine, `make test` and `make check` are what CI runs, `make long` all that there is.

GO       ?= go
FUZZTIME ?= 3000x
# As the program is built; the race detector and programs of tests that are in C say otherwise for themselves. Then nothing is compiled twice.
export CGO_ENABLED := 0
# Compiling and tests make much garbage and keep little: it is collected where the heap is some times what is kept, which saves tests up to a sixth of
# their work. Never to collect costs as much again, as the system has to find each page. The analyzers keep more.
RARELY   := GOGC=1600 GOMEMLIMIT=1536MiB
SELDOM   := GOGC=400 GOMEMLIMIT=2GiB
# Tests are compiled and linked without what debuggers read, a tenth less work, and each package by one thread, as others are compiled beside it: another tenth.
TESTS    := $(GO) test -vet=off -gcflags='all=-dwarf=false -c=1' -ldflags='-s -w'
# Two packages more than there are processors: some wait for devices and other processes.
BESIDE   := -p $$(( $$(getconf _NPROCESSORS_ONLN) + 2 ))
# How many inputs each property is tried on; `make test` draws the same ones each time, `make long` others.
CHECKS   ?= 20
SEED     ?= 1
MORE     ?= 1000
# What is tested and linted. The linter imports ten times as much as the rest: it is looked at by `make long` alone, as are tests that need a browser.
# What takes long and comes late by name is begun first.
PACKAGES ?= ./scop/compile ./scop/offload ./lift/... $$($(GO) list ./... | grep -v /internal/lint$$)

.PHONY: all build demo test long check deadcode race fuzz bench opencl packages clean

all: build

build:
	$(GO) build -o bin/perf ./cmd/perf

opencl:
	@./scripts/opencl.sh

packages:
	@./scripts/packages.sh

demo: opencl build
	@./scripts/demo.sh

# PoCL compiles without optimizing, which takes half the work and is as right; for users and in `make long` it optimizes.
test: export POCL_EXTRA_BUILD_FLAGS := -cl-opt-disable
test: opencl packages
	$(RARELY) RAPID_CHECKS=$(CHECKS) RAPID_SEED=$(SEED) $(TESTS) $(BESIDE) -timeout 30m $(PACKAGES)

# What `make test` takes a fixed sample of, and what is a job of its own: hours.
long: PACKAGES := -tags browser ./...
long: opencl packages check
	LONG=1 $(RARELY) RAPID_CHECKS=$(MORE) $(TESTS) -timeout 24h $(PACKAGES)
	@./scripts/fuzz.sh $(FUZZTIME)

# Formatting, what vet and staticcheck say, and a tidy go.mod; no test is run.
check:
	@unformatted=$$($(GO) tool gofumpt -l .); if [ -n "$$unformatted" ]; then echo "not gofumpt-clean:"; echo "$$unformatted"; exit 1; fi
	$(SELDOM) $(GO) run ./internal/lint $(PACKAGES)
	$(GO) mod tidy -diff

# Functions that nothing reaches.
deadcode:
	LONG=1 $(TESTS) -run DeadCode ./internal/policy

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
