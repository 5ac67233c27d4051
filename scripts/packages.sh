#!/usr/bin/env bash
# Installs from Debian's packages what some tests use, where CI runs: Slurm for fleets, mypy for the types of the Python package. Without it they are skipped.
set -euo pipefail

if [ "${CI:-}" != true ] || { command -v sbatch && command -v mypy; } >/dev/null || ! command -v apt-get >/dev/null; then
  exit 0
fi
sudo=
if [ "$(id -u)" -ne 0 ]; then
  sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
if ! { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge mypy; } >/dev/null; then
  echo 'Slurm and mypy cannot be installed; the tests that need them are skipped' >&2
fi
