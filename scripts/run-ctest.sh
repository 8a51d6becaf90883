#!/usr/bin/env bash
# Runs CTest in a build folder. Shows every skipped test with its reason, the whole output of a
# test that fails, and CTest's summary at the end.
#
#   scripts/run-ctest.sh BUILD [ctest arguments]
set -euo pipefail
build=$1
shift

# CTest -V puts "N: " before the lines of test N; they are kept until it is known how it ended.
kept='' reason='' summary=''
ctest --test-dir "$build" --no-tests=error -V "$@" 2>&1 | {
  while IFS= read -r line; do
    if [[ $line =~ ^[0-9]+:\ ?(.*)$ ]]; then
      kept+=${BASH_REMATCH[1]}$'\n'
    elif [[ $line =~ ^\ *[0-9]+/[0-9]+\ Test ]]; then
      echo "$line"
      if [[ $line != *Passed* ]]; then
        printf '%s' "$kept"
      elif [[ $kept == *'[  SKIPPED ]'* ]]; then
        while IFS= read -r inner; do
          case $inner in
            '[ RUN '*) reason= ;;
            '[  SKIPPED ] '*ms\))
              inner=${inner#'[  SKIPPED ] '}
              echo "      skipped: ${inner% (*}: $reason"
              ;;
            *) reason=$inner ;;
          esac
        done <<<"$kept"
      fi
      kept=
    elif [[ -n $summary || $line == *'tests passed,'* || $line == *rror* ]]; then
      summary=yes
      echo "$line"
    fi
  done
}
