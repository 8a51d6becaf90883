#!/usr/bin/env bash
# Counts that docs/curriculum.md maps every line of the curriculum, 1 to 35 and the errata, to commands and tests that
# exist: topics are those `jogak explain` lists, other commands those of the help, tests those in the sources.
#
#   scripts/check-curriculum.sh build/jogak
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: scripts/check-curriculum.sh JOGAK" >&2; exit 2; }
jogak=$(realpath "$1")
cd "$(dirname "$0")/.."
page=docs/curriculum.md
bad=0
complain() { echo "$page: $*" >&2; bad=1; }

topics=$("$jogak" explain --lang en | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
commands=$("$jogak" --help --lang en | grep -oE '^ +[a-z]+' | tr -d ' ')
tests=$(grep -rhoE '^TEST(_[FP])?\([A-Za-z]+, *[A-Za-z]+\)' tests --include='*.cpp' |
  sed -E 's/^TEST(_[FP])?\(([A-Za-z]+), *([A-Za-z]+)\)/\2.\3/')
# A name that is too long for its line stands on the next one.
tests="$tests
$(tr '\n' ' ' < <(cat tests/*/*.cpp) | grep -oE 'TEST(_[FP])?\([A-Za-z]+, +[A-Za-z]+\)' |
  sed -E 's/^TEST(_[FP])?\(([A-Za-z]+), *([A-Za-z]+)\)/\2.\3/')"
has() { grep -qxF -- "$2" <<<"$1"; }

lines=$(grep -oE '^\| ([0-9]+|errata) \|' "$page" | tr -d '| ')
for line in $(seq 1 35) errata; do
  case $(grep -cxF -- "$line" <<<"$lines") in
    1) ;;
    0) complain "line $line is missing" ;;
    *) complain "line $line stands there twice" ;;
  esac
done

rows=0 named=0
while IFS='|' read -r _ line _ command names _; do
  line=$(tr -d ' ' <<<"$line")
  rows=$((rows + 1))
  grep -q 'jogak ' <<<"$command" || complain "line $line has no command"
  while read -r _ verb what _; do
    has "$commands" "$verb" || complain "line $line: no command $verb"
    [ "$verb" != explain ] || has "$topics" "$what" || complain "line $line: no topic $what"
  done < <(grep -oE 'jogak [^`]*' <<<"$command")
  found=$(grep -oE '`[A-Za-z]+\.[A-Za-z]+`' <<<"$names" | tr -d '`' || true)
  [ -n "$found" ] || complain "line $line has no test"
  for name in $found; do
    named=$((named + 1))
    has "$tests" "$name" || complain "line $line: no test $name"
  done
done < <(grep -E '^\| ([0-9]+|errata) \|' "$page")

[ $bad -eq 0 ] || exit 1
echo "$rows lines of the curriculum, $named tests"
