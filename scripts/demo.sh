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

say() { printf '\n# %s' "$@"; }

say 'Where kernels run:'
run perf devices
say 'Measure a product of matrices at some sizes, and fit to the times what one multiply-add costs in it. The profile keeps the cost:'
run perf calibrate examples/matmul/own_kernel.yaml "${calibration[@]}" | tee "$result"
say 'Predict larger sizes by that cost, and measure them to see how far off it is. The model has one cost, that of a multiply-add, which includes all' \
  'else that this kernel does: so perf says that it has none for memory accesses, and calls the times lower bounds.'
run perf predict examples/matmul/matmul_prefetch.star --model matmul_own_kernel --measure "${sizes[@]/#/-pn=}"
printf '\nThe profile of this device is %s\n' "$(sed -n 's/^profile: \(.*\) (caches .*/\1/p' "$result")"
