#!/bin/bash
# Builds values.cu, runs it on the device and leaves in $OUT what it read and stored, with the machine code: default options in
# $OUT/plain, and --use_fast_math in $OUT/fast. Run it anywhere; it takes seconds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export PATH=$PATH:/usr/local/cuda/bin
for kind in plain fast; do
  options=(); [ $kind = plain ] || options=(--use_fast_math)
  to=$OUT/$kind; mkdir -p "$to"
  nvcc -arch=sm_90 "${options[@]}" -cubin -o "$to/values.cubin" "$here/values.cu"
  nvdisasm -hex -c "$to/values.cubin" > "$to/values.sass"
  nvcc -arch=sm_90 "${options[@]}" -o "$to/values" "$here/main.cu"
  "$to/values" "$to"
  rm "$to/values"
done
nvcc --version | tail -2 > "$OUT/version.txt"; nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >> "$OUT/version.txt"
ls -l "$OUT"/*
