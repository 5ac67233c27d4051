#!/bin/bash
# Records what cuobjdump and nvdisasm print of the kernels here. Run it in this folder, with CUDA 13 on PATH; the listings of 2026-11-22
# are of nvcc 13.0.88 and nvdisasm 13.0.85.
#
#   NAME.sass      nvdisasm -hex -c -gi: what the tests and examples read
#   NAME.plr.gz    nvdisasm -plr -c: which registers instructions define and use
#   NAME.bbcfg.gz  nvdisasm -bbcfg -poff: blocks and edges
#   NAME.usage     cuobjdump -res-usage: registers, stack, memory
set -euo pipefail

record() { # kernel, architecture, name of the files
  local cubin
  cubin=$(mktemp --suffix .cubin)
  nvcc -cubin -arch="$2" -lineinfo -o "$cubin" "$1.cu"
  nvdisasm -hex -c -gi "$cubin" > "$3.sass"
  nvdisasm -plr -c "$cubin" | gzip -9n > "$3.plr.gz"
  nvdisasm -bbcfg -poff "$cubin" | gzip -9n > "$3.bbcfg.gz"
  cuobjdump -res-usage "$cubin" > "$3.usage"
  [ "$3" != reduce ] || cuobjdump -sass "$cubin" > reduce.cuobjdump.sass
  [ "$3" != saxpy ] || cp "$cubin" saxpy.cubin
  rm "$cubin"
}

for kernel in saxpy matmul reduce copy branch stencil spill divide many; do record $kernel sm_90 $kernel; done
for architecture in sm_75 sm_80 sm_100 sm_120; do record matmul $architecture matmul.$architecture; done
