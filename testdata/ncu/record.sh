#!/bin/bash
# Records here anew, where an NVIDIA GPU, the CUDA toolkit with Nsight Compute, and PyTorch with Triton are, what ncu exports:
#
#     OUT=/tmp/out bash record.sh
#
#   app.ncu.csv        app.cu, by the sections that ncu takes by default, as it writes to a terminal: between its own lines and those of the application
#   app.auto.ncu.csv   app.cu, chosen metrics in units that suit them, with their instances
#   torch.ncu.csv      app.py, chosen metrics
set -uo pipefail
: "${OUT:?an empty folder}"
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$PATH:/usr/local/cuda/bin"
dir=$(mktemp -d)
nvcc -O2 -arch=native -o "$dir/app" "$here/app.cu" || exit 1
record() { # name, arguments of ncu
  local name=$1
  shift
  timeout 120 ncu --clock-control none --csv --page raw "$@" > "$OUT/$name.ncu.csv" || { echo "$name: failed"; tail -5 "$OUT/$name.ncu.csv"; }
}
metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sector_hit_rate.pct,smsp__inst_executed.sum,launch__registers_per_thread
record app "$dir/app"
record app.auto --print-units auto --print-metric-instances values --metrics "$metrics,device__attribute_display_name" "$dir/app"
record torch --metrics "$metrics" python3 "$here/app.py"
rm -r "$dir"
wc -lc "$OUT"/*.csv
