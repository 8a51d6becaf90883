#!/usr/bin/env bash
# Installs a build into a fresh prefix and builds and runs the consumer project against it.
#   tests/consumer/run.sh BUILD COMPILER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$1" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/jogak" --version
# Moved after installing: nothing in the package may point to where it was first.
mv "$work/prefix" "$work/moved"
cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER="$2" \
  -DCMAKE_PREFIX_PATH="$work/moved" >/dev/null
if grep -rqF "$(cd "$here/../.." && pwd)" "$work/moved/lib" --include='*.cmake'; then
  echo "the installed package names the source folder"
  exit 1
fi
cmake --build "$work/build"
"$work/build/consumer" "$here/../goldens/tokenizers/small_bpe.json" | tee "$work/output"
diff "$here/expected.txt" "$work/output"
"$work/build/train_and_generate" "$work/run" 20 | tee "$work/output"
grep -q '^step 20, validation loss' "$work/output"
grep -q '^May 9th, 2031 = .' "$work/output"
grep -q ' of 500 dates are right$' "$work/output"
