#!/usr/bin/env bash
# Runs CTest in a build folder. Shows every skipped test with its reason, the whole output of a
# test that fails, and CTest's summary at the end.
#
#   scripts/run-ctest.sh BUILD [ctest arguments]
set -euo pipefail
build=$1
shift

# As many at a time as there are cores; what wants them all says so (RUN_SERIAL in tests/CMakeLists.txt).
# CTest -V puts "N: " before the lines of test N; they are kept until it is known how it ended.
declare -A kept=()
summary=
skipped() {
  local line reason=
  while IFS= read -r line; do
    case $line in
      '[ RUN '*) reason= ;;
      '[  SKIPPED ] '*ms\))
        line=${line#'[  SKIPPED ] '}
        echo "      skipped: ${line% (*}: $reason"
        ;;
      *) reason=$line ;;
    esac
  done
}
ctest --test-dir "$build" --no-tests=error -V -j "${JOBS:-$(nproc)}" "$@" 2>&1 | {
  while IFS= read -r line; do
    if [[ $line =~ ^([0-9]+):\ ?(.*)$ ]]; then
      kept[${BASH_REMATCH[1]}]+=${BASH_REMATCH[2]}$'\n'
    elif [[ $line =~ ^\ *[0-9]+/[0-9]+\ Test\ *#([0-9]+) ]]; then
      number=${BASH_REMATCH[1]}
      echo "$line"
      if [[ $line != *Passed* ]]; then
        printf '%s' "${kept[$number]:-}"
      elif [[ ${kept[$number]:-} == *'[  SKIPPED ]'* ]]; then
        skipped <<<"${kept[$number]}"
      fi
      unset "kept[$number]"
    elif [[ -n $summary || $line == *'tests passed,'* || $line == *rror* ]]; then
      summary=yes
      echo "$line"
    fi
  done
}
