#!/usr/bin/env bash
# Builds what a release holds: static binaries for a tag, or for the commit that is checked out, with their checksums. scripts/release.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-dist}
version=$(git describe --tags --always --dirty)
mkdir -p "$out"
for target in linux/amd64 linux/arm64 darwin/arm64; do
  file="$out/perf-$version-${target/\//-}"
  GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$file" ./cmd/perf
  echo "$file"
done
(cd "$out" && sha256sum perf-"$version"-* > SHA256SUMS)
