#!/usr/bin/env bash
# Runs every command of the guides in a fresh directory and holds their pictures and exercises to
# what the commands give: run.sh SOURCE JOGAK. The full demo takes minutes; a short one stands for it.
set -euo pipefail
source=$1 jogak=$2
. "$source/tests/readme/commands.sh"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir build
ln -s "$jogak" build/jogak
build/jogak demo --steps 3 </dev/null >/dev/null

total=0 pictures=0
for lang in en ko; do
  guide=$source/docs/guide.$lang.md
  rm -f ./*.svg ./*.txt
  while IFS= read -r line; do
    [ "$line" != "build/jogak demo" ] || continue
    run_command "guide.$lang.md" "$line"
    total=$((total + 1))
  done < <(commands "$guide")
  for picture in "$source"/docs/pictures/*."$lang".svg; do
    name=$(basename "$picture" ".$lang.svg")
    cmp "$picture" "$name.svg" || { echo "FAILED: $picture is not what its command draws" && exit 1; }
    grep -q "pictures/$name.$lang.svg" "$guide" || { echo "FAILED: $picture is not shown" && exit 1; }
    pictures=$((pictures + 1))
  done
  for chapter in 1 2 3 4 5 6 7 8; do
    while IFS= read -r line; do
      grep -qxF -- "$line" "$guide" || { echo "FAILED: guide.$lang.md lacks: $line" && exit 1; }
    done < <(build/jogak explain --exercises "$chapter" --seed 7 --lang "$lang" | grep '^[0-9 ]')
  done
done
echo "$total commands of the guides ran, $pictures pictures are as drawn"
[ "$total" -ge 100 ] && [ "$pictures" -ge 16 ]
