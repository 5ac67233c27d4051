#!/bin/bash
# record.sh FOLDER: on a machine with an NVIDIA GPU, records in FOLDER what the emulator is calibrated and judged with.
#
#   samples.jsonl, sheet.yaml                 measurements for the description of the device, and that, by perf calibrate --emulator
#   memory.csv, machine.csv and others        measurement kernels of this folder
#   cubins/NAME.cubin, NAME.sass              the code of each launch file in testdata/emulate, by nvcc's nvdisasm -hex -c -gi
#   counters.jsonl, counters.code.jsonl       what ncu counts of their launches, caches warm and cold, and how often each instruction was executed
#
# It takes about 15 minutes on an H200. What fails is told, and the rest goes on; started again, ncu counts what is missing alone. It needs the
# nvcc, nvdisasm and ncu of CUDA 13 on the PATH, and bin/perf (make build) or the program that PERF names.
set -u
cd "$(dirname "$0")/../.."
out=$(mkdir -p "${1:?a folder for the recordings}" && cd "$1" && pwd)
perf=$(realpath "${PERF:-bin/perf}")
arch=${ARCH:-sm_90}
say() { echo "$(date +%T) $*"; }

"$perf" calibrate --emulator --interface cuda -o "$out/samples.jsonl" --sheet "$out/sheet.yaml" > "$out/sheet.txt" || say "not all was measured"
for name in memory machine asynchronous caches traffic misses pieces shapes tiles rows meeting constants constants_rows uniform_lines constant_sets constant_groups waiting contended; do
  nvcc -std=c++17 -arch="$arch" -o "$out/$name" "scripts/emulate/$name.cu" && timeout 200 "$out/$name" > "$out/$name.csv"
  say "$name: $(wc -l < "$out/$name.csv") measurements"
done

mkdir -p "$out/cubins"
for launch in testdata/emulate/*.yaml; do
  name=$(basename "$launch" .yaml)
  source=testdata/emulate/$(sed -n 's/^source: //p' "$launch")
  options=$(sed -n 's/^options: \[\(.*\)\]/\1/p' "$launch" | tr -d ,)
  kernel=$(sed -n 's/^kernel: //p' "$launch")
  # a template is compiled for what takes the address of an instance
  { cat "$source"; echo "static const void *const instance __attribute__((used)) = (const void *) ($kernel);"; } > "$out/kernel.cu"
  case $options in *-arch=*) ;; *) options="-arch=$arch $options" ;; esac
  # shellcheck disable=SC2086
  nvcc -cubin -std=c++17 -lineinfo $options -o "$out/cubins/$name.cubin" "$out/kernel.cu" &&
    nvdisasm -hex -c -gi "$out/cubins/$name.cubin" > "$out/cubins/$name.sass" || say "$name does not compile"
done
say "$(ls "$out"/cubins/*.cubin | wc -l) kernels compiled"

for half in choose report unseen; do
  "$perf" counters --kernels testdata/emulate/$half.txt --cache both -o "$out/counters.jsonl" > "$out/$half.txt" || say "of $half not all was counted"
done
say "$(wc -l < "$out/counters.jsonl") launches counted"
