#!/usr/bin/env bash
# Holds the READMEs to their shape, and runs every command of theirs, of docs/tour.md and of its Korean twin in a fresh
# directory: run.sh SOURCE JOGAK.
# The two set-up scripts are left out: they install and build, and call this test among others. Trainings are shortened.
set -euo pipefail
source=$1 jogak=$2
. "$source/tests/readme/commands.sh"

# A README opens with a picture and one paragraph, and fits three screens: about a hundred lines, with pictures in one row.
for readme in README.md README.ko.md; do
  awk '
    NR == 1 && !/^# / { print "its first line is no title"; bad = 1 }
    NR == 3 && !/^!\[.*\]\(docs\/pictures\/.*\)$/ { print "it does not open with a picture"; bad = 1 }
    NR == 5 && !/^[^#!`|]/ { print "no paragraph stands below its picture"; bad = 1 }
    NR > 3 && /^!\[/ { print "line " NR " is a picture of its own"; bad = 1 }
    END { if (NR > 100) { print "it has " NR " lines"; bad = 1 } exit bad }
  ' "$source/$readme" | sed "s/^/$readme: /"
done

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir build
ln -s "$jogak" build/jogak
ln -s "$source/recipes" "$source/README.md" "$source/README.ko.md" .

# Stands for the quickstart: the same job, too short to learn much.
build/jogak demo --steps 3 </dev/null >/dev/null

total=0
for readme in README.md docs/tour.md README.ko.md docs/tour.ko.md; do
  find runs -mindepth 1 -maxdepth 1 ! -name quickstart -exec rm -rf {} +
  rm -rf shapes series.csv
  while IFS= read -r line; do
    run_command "$readme" "$(shortened <<<"$line")"
    total=$((total + 1))
  done < <(commands "$source/$readme")
done
echo "$total commands of the READMEs and tours ran"
[ "$total" -ge 80 ]
