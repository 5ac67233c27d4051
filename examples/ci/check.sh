#!/usr/bin/env bash
# Checks of performance on any machine, without a GPU: exact counts, predictions by a profile, and an evaluation by recorded times. github-action.yml runs it.
set -euo pipefail
cd "$(dirname "$0")/../.."

echo 'A tile keeps stores to whole lines of the cache: a lost prefetch shows in the count, exactly.'
lines=$(perf feature examples/transpose/transpose.star f_mem_lines_global_float32 -p n=4096 --json |
  python3 -c 'import json, sys; print(*(k["features"][0]["value"] for k in json.load(sys.stdin)["kernels"] if k["kernel"] == "transpose_tiled"))')
[ "$lines" = 2097152 ] || { echo "transpose_tiled touches $lines lines, not 2097152" >&2; exit 1; }

echo 'The kernel is predicted to take less than 100 µs on an H200.'
perf predict 'examples/transpose/transpose.star#transpose_tiled' -p n=4096 --profile h200 --json |
  python3 -c 'import json, sys; t = json.load(sys.stdin)["seconds"]; sys.exit(t >= 100e-6 and f"{t * 1e6:.1f} µs are predicted")'

echo 'A model that is calibrated on recorded samples predicts the recorded times.'
profile=$(mktemp -d)
trap 'rm -r "$profile"' EXIT
perf calibrate examples/matmul/own_kernel.yaml --device replay:testdata/h200/matmul_2_2.jsonl --profile "$profile/h200.yaml"
perf predict examples/matmul/matmul_prefetch.star -p n=4096 --profile "$profile/h200.yaml" --measure --device replay:testdata/h200/matmul_2_2.jsonl --json |
  python3 -c 'import json, sys; e = json.load(sys.stdin)["measured"]["relative_error"]; sys.exit(abs(e) > 0.05 and f"the prediction is off by {e:.1%}")'
echo 'all hold'
