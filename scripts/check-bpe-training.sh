#!/usr/bin/env bash
# Trains a BPE tokenizer of 32,000 tokens on 100 MB of generated Korean and English: at most 3 GiB
# and 10 minutes on two cores. Words are drawn as in real text: few very often, most of them rarely.
#
#   scripts/check-bpe-training.sh build/jogak [FLAG...]     [MEGABYTES=100 VOCAB=32000]
set -euo pipefail
jogak=$(realpath "${1:?usage: $0 JOGAK [FLAG of tokenizer train...]}")
shift
megabytes=${MEGABYTES:-100} vocab=${VOCAB:-32000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

python3 - "$folder/text.txt" "$megabytes" <<'EOF'
import itertools, random, sys
path, size = sys.argv[1], int(sys.argv[2]) * 10**6
rng = random.Random(1)
syllables = [chr(rng.randrange(0xAC00, 0xD7A4)) for _ in range(1500)]
endings = ["은", "는", "이", "가", "을", "를", "에서", "으로", "하다", "했다", "입니다", ""]
stems = ["".join(rng.choices(syllables, k=rng.randrange(1, 5))) for _ in range(60000)]
heads = ["".join(rng.choices("aeioubcdfghklmnprstvwy", k=rng.randrange(2, 8))) for _ in range(40000)]
tails = ["", "", "s", "ed", "ing", "er", "tion", "ly"]
words = [rng.choice(stems) + rng.choice(endings) for _ in range(400000)]
words += [rng.choice(heads) + rng.choice(tails) for _ in range(300000)]
rng.shuffle(words)
weights = list(itertools.accumulate(1 / (i + 10) for i in range(len(words))))
with open(path, "w") as out:
    done = 0
    while done < size:
        line = " ".join(rng.choices(words, cum_weights=weights, k=1200))
        text = "".join(line[i:i + 120] + "\n" for i in range(0, len(line), 120))
        done += out.write(text) + sum(3 if c > "\u0800" else 1 for c in text) - len(text)
EOF
echo "text: $(stat -c %s "$folder/text.txt") bytes"

/usr/bin/time -f '%e %M' -o "$folder/time" \
  taskset -c 0,1 "$jogak" tokenizer train --type bpe --vocab-size "$vocab" "$@" \
  --files "$folder/text.txt" --out "$folder/tok"
read -r seconds kilobytes <"$folder/time"
echo "seconds $seconds, most memory $((kilobytes / 1024)) MiB"
[ "${seconds%.*}" -lt 600 ] && [ "$kilobytes" -lt $((3 * 1024 * 1024)) ]
