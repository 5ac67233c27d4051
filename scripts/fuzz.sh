#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time each (default 10s).
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u | while read -r dir; do
  grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | awk '{print $2}' | sort -u | while read -r target; do
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1x "$dir"
  done
done
