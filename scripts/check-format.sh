#!/usr/bin/env bash
# Fails when a source is not formatted as .clang-format says; "--fix" formats instead.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
roots=()
for folder in src cli server web tests bench examples; do
  [ -d "$folder" ] && roots+=("$folder")
done
find "${roots[@]}" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \
  -o -name '*.ts' \) \
  -print0 | LC_ALL=C sort -z | xargs -0 -r -P "$(nproc)" -n 40 clang-format "${mode[@]}"
echo "Formatting: good."
