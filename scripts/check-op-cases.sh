#!/usr/bin/env bash
# Every op must have cases: each name that src/ops/*.cpp gives to record(), record_many() or
# record_constant() must be named in tests/ops/cases. Runs as part of the build.
#
#   scripts/check-op-cases.sh            fails when an op has no case, or a name cannot be read
#   scripts/check-op-cases.sh --list     prints the names
set -euo pipefail
cd "$(dirname "$0")/.."

# A name is the first argument as a string, or `op` in a function whose first parameter is
# `const char* op`: then the strings of its callers count.
names() {
  awk '
    function finish() {
      gsub(/[ \t\r\n]+/, " ", text)
      callers = "record|record_many|record_constant"
      rest = text ~ /record(_many|_constant)?\( ?op,/ ? text : ""
      while (match(rest, /[a-z_0-9]+\( ?const char\* op[,)]/)) {
        name = substr(rest, RSTART, RLENGTH); sub(/\(.*/, "", name)
        callers = callers "|" name
        rest = substr(rest, RSTART + RLENGTH)
      }
      rest = text
      while (match(rest, "(^|[^a-z_0-9:])(" callers ")\\( ?[^,)]*")) {
        found = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        sub(/^[^(]*\( ?/, "", found)
        if (found ~ /^"[a-z_0-9]+"$/) print substr(found, 2, length(found) - 2)
        else if (found != "op" && found !~ /^const char\* op$/)
          { print file ": cannot read the op name in: " found > "/dev/stderr"; bad = 1 }
      }
      text = ""
    }
    FNR == 1 && NR > 1 { finish() }
    { file = FILENAME; line = $0; sub(/\/\/.*/, "", line); text = text " " line }
    END { finish(); exit bad }
  ' src/ops/*.cpp | LC_ALL=C sort -u
}

all=$(names)
if [ "${1:-}" = --list ]; then
  echo "$all"
  exit 0
fi
status=0
for name in $all; do
  if ! grep -qF "\"$name\"" tests/ops/cases/*.cpp; then
    echo "src/ops: the op \"$name\" has no case in tests/ops/cases" >&2
    status=1
  fi
done
exit $status
