#!/bin/bash
# Builds values.cu and leaves code and results in $OUT, a zip for each way to build it: values.sass and values.cubin, and where there is
# a device also what the kernels read and stored there. Run it anywhere with nvcc; it takes a minute.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export PATH=$PATH:/usr/local/cuda/bin
build() { # name of the zip, options
  local name=$1 to
  shift
  to=$(mktemp -d)
  nvcc "$@" -cubin -o "$to/values.cubin" "$here/values.cu"
  nvdisasm -hex -c "$to/values.cubin" > "$to/values.sass"
  if nvidia-smi > /dev/null 2>&1 && nvcc "$@" -o "$to/run" "$here/main.cu" && "$to/run" "$to"; then
    echo "$name: recorded on $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)"
  fi
  rm -f "$to/run"
  (cd "$to" && zip -9q "$OUT/$name.zip" ./*)
  rm -r "$to"
}
build sm_90 -arch=sm_90
build sm_90_fast -arch=sm_90 --use_fast_math
build sm_80 -arch=sm_80
nvcc --version | tail -2
