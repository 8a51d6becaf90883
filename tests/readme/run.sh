#!/usr/bin/env bash
# Runs every command of README.md, docs/tour.md and their Korean twins in a fresh directory: run.sh SOURCE JOGAK.
# The two set-up scripts are left out: they install and build, and call this test among others. Trainings are shortened.
set -euo pipefail
source=$1 jogak=$2
. "$source/tests/readme/commands.sh"
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
