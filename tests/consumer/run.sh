#!/usr/bin/env bash
# Installs a build into a fresh prefix and builds and runs the consumer project against it.
#   tests/consumer/run.sh BUILD COMPILER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$1" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/jogak" --version
# The manual in both languages, and what bash and zsh complete.
share=$work/prefix/share
for page in "$share/man/man1/jogak.1" "$share/man/ko/man1/jogak.1"; do
  grep -q '^\.SS "jogak translate' "$page" || { echo "no manual of translate in $page"; exit 1; }
  if command -v man >/dev/null; then MANPAGER=cat MANWIDTH=100 man -l "$page" >"$work/manual"; grep -q -- --beams "$work/manual"; fi
done
completed() {  # WORD...: what bash offers for the last of them
  bash -c '
    . "$1"; shift
    COMP_WORDS=(jogak "$@") COMP_CWORD=$# COMPREPLY=()
    "$(complete -p jogak | sed "s/.*-F \([^ ]*\).*/\1/")" jogak "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
    echo "${COMPREPLY[*]}"' bash "$share/bash-completion/completions/jogak" "$@"
}
[ "$(completed tr)" = "train translate" ] || { echo "bash completes tr as: $(completed tr)"; exit 1; }
[ "$(completed translate --beam)" = "--beams" ] || { echo "bash completes --beam as: $(completed translate --beam)"; exit 1; }
grep -q '^#compdef jogak' "$share/zsh/site-functions/_jogak"
if command -v zsh >/dev/null; then zsh -n "$share/zsh/site-functions/_jogak"; fi
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
