#!/usr/bin/env bash
# What the exchange between two processes costs: a GPT of 10.7M weights, one thread and BATCH texts of
# 256 tokens a process and step, alone, with a second process on this machine, and with one behind a
# link between two network namespaces (as root). Milliseconds a step, the median of all but the first.
#
#   bench/exchange.sh [PROGRAM] [BATCH] [STEPS]      # build/jogak 4 8
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/jogak}") batch=${2:-4} steps=${3:-8}
work=$(mktemp -d)
a=jogak-a-$$ b=jogak-b-$$
finish() {
  ip netns del "$a" 2>/dev/null || true
  ip netns del "$b" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
cd "$work"
"$program" data make dates dates.txt --count 20000 >/dev/null
cat >recipe.toml <<RECIPE
[model]
family = "gpt2"
preset = "small"
n_layer = 6
n_head = 6
n_embd = 384
n_positions = 256
embd_pdrop = 0.0
attn_pdrop = 0.0
resid_pdrop = 0.0
[tokenizer]
type = "char"
[data]
kind = "text"
train = "dates.txt"
valid_share = 0.01
[train]
steps = $steps
log_every = 1
RECIPE
train() { # PROCESSES [FLAG...]
  local count=$1
  shift
  "$program" train recipe.toml --threads 1 --batch $((batch * count)) --out "out-$count" --overwrite \
    --set "train.micro_batches=$count" "$@" >log 2>&1 || { cat log >&2; return 1; }
}
show() { # NAME PROCESSES
  python3 - "$1" "out-$2/metrics.jsonl" $((batch * $2 * 256)) <<'PYTHON'
import json, statistics, sys
lines = [json.loads(line) for line in open(sys.argv[2])]
rates = [line["tokens_per_s"] for line in lines if "tokens_per_s" in line][1:]
print(f"{sys.argv[1]}: {1000 * int(sys.argv[3]) / statistics.median(rates):.0f} ms a step")
PYTHON
}
train 1
show "one process" 1
train 2 --processes 2
show "two on this machine" 2
[ "$(id -u)" = 0 ] || exit 0
ip netns add "$a"
ip netns add "$b"
ip link add veth0 netns "$a" type veth peer name veth0 netns "$b"
ip -n "$a" addr add 10.77.0.1/24 dev veth0
ip -n "$b" addr add 10.77.0.2/24 dev veth0
for place in "$a" "$b"; do
  ip -n "$place" link set lo up
  ip -n "$place" link set veth0 up
done
by_hand() { # NUMBER NAMESPACE
  ip netns exec "$2" "$program" train recipe.toml --threads 1 --batch $((batch * 2)) --out out-2 \
    --overwrite --set train.micro_batches=2 --processes 2 --process "$1" --first 10.77.0.1:29500
}
by_hand 2 "$b" >second.log 2>&1 &
by_hand 1 "$a" >log 2>&1 || { cat log >&2; exit 1; }
wait
show "two between namespaces" 2
