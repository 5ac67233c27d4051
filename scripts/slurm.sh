#!/usr/bin/env bash
# Installs Slurm from Debian's packages for a test of fleets, where CI runs. Without it the test is skipped.
set -euo pipefail

if [ "${CI:-}" != true ] || command -v sbatch >/dev/null || ! command -v apt-get >/dev/null; then
  exit 0
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
  sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
if ! { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge; } >/dev/null; then
  echo 'Slurm cannot be installed; the test of fleets with Slurm is skipped' >&2
fi
