#!/usr/bin/env bash
# Runs the fuzz targets of the given folders, or of all, each for the given time (1m) or number of inputs (3000x, the default). A number
# is what tests use: it does not depend on how fast the machine is.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-3000x}
folders=("${@:2}")
grep -rlE '^func Fuzz' --include='*_test.go' "${folders[@]:-.}" | xargs -n1 dirname | sort -u | while read -r dir; do
  grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | awk '{print $2}' | sort -u | while read -r target; do
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1x "./$dir"
  done
done
