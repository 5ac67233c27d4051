#!/usr/bin/env bash
# The main job on this machine's OpenCL device: calibrate a model of matrix multiplication, then predict sizes that were
# not measured, and measure them to see.
set -euo pipefail
cd "$(dirname "$0")/.."

run() { printf '\n$ %s\n' "$*"; PATH="$PWD/bin:$PATH" "$@"; }

profile=$(mktemp -d)/profile.yaml
# On a CPU the model's own sizes would take minutes each.
calibration=() sizes=(4096 6144)
if ! bin/perf devices --json | grep -q '"type": "gpu"'; then
  calibration=(--tag n:256,320,384,448,512)
  sizes=(640 768)
fi

run perf devices
run perf calibrate examples/matmul/own_kernel.yaml "${calibration[@]}" --profile "$profile"
run perf predict examples/matmul/matmul_prefetch.star --profile "$profile" --measure "${sizes[@]/#/-pn=}"
printf '\nThe profile of this device: %s\n' "$profile"
