#!/usr/bin/env bash
# The main job on this machine's OpenCL device: calibrate a model of matrix multiplication, then predict sizes that were
# not measured, and measure them to see.
set -euo pipefail
cd "$(dirname "$0")/.."

run() { printf '\n$ %s\n' "$*"; PATH="$PWD/bin:$PATH" "$@"; }

result=$(mktemp)
trap 'rm -f "$result"' EXIT
# On a CPU the model's own sizes would take minutes each.
calibration=() sizes=(4096 6144)
if ! bin/perf devices --json | grep -q '"type": "gpu"'; then
  calibration=(--tag n:256,320,384,448,512)
  sizes=(640 768)
fi

run perf devices
run perf calibrate examples/matmul/own_kernel.yaml "${calibration[@]}" | tee "$result"
run perf predict examples/matmul/matmul_prefetch.star --model matmul_own_kernel --measure "${sizes[@]/#/-pn=}"
printf '\nThe profile of this device stays in %s\n' "$(sed -n 's/^profile: //p' "$result")"
