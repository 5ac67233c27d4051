#!/usr/bin/env bash
# What perf is for, in less than a minute: a model of this machine's own OpenCL device for a kernel, by which sizes are predicted that were not measured; then which
# kernel is faster on a GPU that is not here, and why, beside what was measured on that GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/bin:$PATH"

run() { printf '\n$ %s\n' "$*"; "$@"; }
say() { printf '\n# %s' "$@"; }

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
# On a CPU large sizes would take minutes.
size=16384 others=(24576 32768)
if ! perf devices --json | grep -q '"type": "gpu"'; then
  size=1024 others=(896 1152)
fi

say 'This machine has a device:'
run perf devices
say 'Make a model for a kernel on it: small kernels are measured to find what each of its costs is here, and the profile keeps them.'
run perf calibrate --for examples/matvec/matvec.star -p "n=$size" --own-model --trials 5 --to "$made" --quiet
say 'Predict sizes that were not measured by these costs, and measure them to see how far off that is. A CPU has other work, too, and its times are what that leaves.'
run perf predict examples/matvec/matvec.star "${others[@]/#/-pn=}" --measure -o "$made/samples.jsonl" --quiet
say 'Which product of matrices is faster on an NVIDIA H200? No GPU is needed to ask:'
run perf rank examples/matmul/matmul.star examples/matmul/matmul_prefetch.star -p n=2816 --profile h200
say 'What takes the time of the slower one, in which line, and what would be gained by changing that?'
run perf explain examples/matmul/matmul.star -p n=2816 --profile h200
say 'Is that so? Times of an H200 are recorded, of kernels that its profile has not seen; the same question beside them:'
run perf rank examples/matmul/matmul.star examples/matmul/matmul_prefetch.star -p n=2816 --profile h200 --measure --device replay:testdata/h200/general.jsonl.gz --quiet
say 'Now a kernel of your own: perf explain mine.cu --profile h200 asks about it as it is; docs/tutorial.md goes on from here, in ten minutes.'
printf '\n'
