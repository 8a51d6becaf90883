#!/usr/bin/env bash
# Runs what the program tells people to type: the examples of every --help, of jogak alone, and the next steps of the
# demo, each as it is printed, in a directory that holds the demo's model and a file of llama.cpp's, and nothing else:
# run.sh SOURCE JOGAK.
# Trainings, and models of the size of real ones, are shortened: a few steps, the preset tiny.
set -euo pipefail
source=$1 jogak=$2
. "$source/tests/readme/commands.sh"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir "a place" kept
ln -s "$jogak" "a place/jogak"
cd "a place"

examples() { awk '/^(Examples|예시)$/ {on = 1; next} on' | sed -n 's/^  \([^ ]\)/\1/p'; }
start_again() {
  rm -rf ./*.* runs models shapes tok* && cp -r "$place/kept/runs" runs
  cp "$source/tests/goldens/gguf/gemma3.gguf" model-q8_0.gguf
  rm -rf keys && echo sixteen-letters- >keys && chmod 600 keys
  ./jogak new models/chat --family gpt2 --preset tiny --tokenizer "$source/tests/goldens/tokenizers/small_bpe.json" >/dev/null 2>&1
  echo '{% for m in messages %}{{ m.role }}: {{ m.content }}{% endfor %}' >models/chat/chat_template.jinja
}

total=0
: >"$place/measured.txt"
run_all() {
  while IFS= read -r line; do
    case "$line" in
      *jogak*) case "$line" in *./jogak*) ;; *) echo "FAILED: not as it was called: $line" && exit 1 ;; esac ;;
    esac
    short=$(shortened <<<"$line")
    echo "$1: $short"
    total=$((total + 1))
    case "$line" in
      *' demo') continue ;;  # ran first of all
      *' bench '*)  # measured once, whatever names it
        ! grep -qxF -- "$line" "$place/measured.txt" || continue
        echo "$line" >>"$place/measured.txt"
        ;;
    esac
    wanted=0
    case "$line" in *' --check '*) wanted=1 ;; esac  # nobody has filled in the answers
    code=0
    case "$line" in
      *' serve '*) serve_once "$short" "$place/out.txt" "$place/err.txt" || code=$? ;;
      *) bash -euo pipefail -c "$short" </dev/null >"$place/out.txt" 2>"$place/err.txt" || code=$? ;;
    esac
    if [ "$code" -ne "$wanted" ]; then
      echo "FAILED: $line" && cat "$place/err.txt" && exit 1
    fi
    case "$line" in
      *' > '* | *' forward '* | *' chat '*) ;;  # what they write is a file; nobody speaks
      *) [ -s "$place/out.txt" ] || [ -s "$place/err.txt" ] || { echo "FAILED: says nothing: $line" && exit 1; } ;;
    esac
  done
}

./jogak demo --steps 3 </dev/null >"$place/demo.txt" 2>/dev/null
mv runs "$place/kept/runs"
start_again
sed -n '/What to do next/,$s/^  //p' "$place/demo.txt" >"$place/lines.txt"
[ "$(wc -l <"$place/lines.txt")" -ge 3 ]
run_all "after the demo" <"$place/lines.txt"
start_again
./jogak --lang en | sed -n 's/^  \([^ ]\)/\1/p' >"$place/lines.txt"
[ "$(wc -l <"$place/lines.txt")" -eq 5 ]
run_all "jogak alone" <"$place/lines.txt"

while IFS= read -r words; do
  start_again
  # shellcheck disable=SC2086
  ./jogak $words --help --lang en | examples >"$place/lines.txt"
  [ -s "$place/lines.txt" ] || { echo "FAILED: $words --help has no example" && exit 1; }
  run_all "$words --help" <"$place/lines.txt"
done < <(./jogak completion man --lang en | sed -n 's/^\.SS "jogak \(.*\)"$/\1/p')
echo "$total commands that the program prints ran as printed"
[ "$total" -ge 70 ]
