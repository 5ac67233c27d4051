#!/usr/bin/env bash
# Makes sure that this machine has an OpenCL runtime. Where there is none, installs PoCL (OpenCL on the CPU) and the
# ICD loader from Debian's packages, with what C programs are linked with (for tests of perf scop compile). NVIDIA's driver brings its own libnvidia-opencl.so.1, which perf finds by itself.
set -euo pipefail

libraries=$({ ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null || true)
if grep -q -e 'libnvidia-opencl\.so\.1' <<<"$libraries"; then
  exit 0
fi
if grep -q -e 'libOpenCL\.so\.1' <<<"$libraries" && compgen -G '/etc/OpenCL/vendors/*.icd' >/dev/null; then
  exit 0
fi

if ! command -v apt-get >/dev/null; then
  echo 'no OpenCL runtime found: install the driver of your GPU, or PoCL to run on the CPU' >&2
  exit 1
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
  sudo=sudo
fi
echo 'installing PoCL and the OpenCL ICD loader' >&2
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends pocl-opencl-icd ocl-icd-libopencl1 ocl-icd-opencl-dev >/dev/null
