#!/usr/bin/env bash
# Two processes of one run on two networks of their own (Linux network namespaces; as root): over a
# link that delays and reorders packets, or loses some, they must end with the bits of one process;
# when the link is cut, both must end within ten seconds with exit code 75, naming the other.
#
#   sudo scripts/check-processes-network.sh [PROGRAM]      # build/jogak
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/jogak}")
work=$(mktemp -d)
a=jogak-a-$$ b=jogak-b-$$
finish() {
  ip netns del "$a" 2>/dev/null || true
  ip netns del "$b" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
ip netns add "$a"
ip netns add "$b"
ip link add veth0 netns "$a" type veth peer name veth0 netns "$b"
ip -n "$a" addr add 10.77.0.1/24 dev veth0
ip -n "$b" addr add 10.77.0.2/24 dev veth0
for place in "$a" "$b"; do
  ip -n "$place" link set lo up
  ip -n "$place" link set veth0 up
done

cat >"$work/recipe.toml" <<'RECIPE'
[model]
family = "gpt2"
preset = "tiny"
[tokenizer]
type = "char"
[data]
make = "sort"
count = 200
valid_count = 20
[train]
steps = 60
batch = 8
micro_batches = 4
warmup = 2
eval_every = 30
checkpoint_every = 10
RECIPE
train() { "$program" train "$work/recipe.toml" --threads 1 "$@"; }
both() { # DIR [FLAG...]: the two of them, and what they ended with
  local out=$1
  shift
  ip netns exec "$a" "$program" train "$work/recipe.toml" --threads 1 --out "$out" --processes 2 \
    --process 1 --first 10.77.0.1:29500 "$@" >"$work/a.log" 2>&1 &
  local first=$!
  ip netns exec "$b" "$program" train "$work/recipe.toml" --threads 1 --out "$out" --processes 2 \
    --process 2 --first 10.77.0.1:29500 "$@" >"$work/b.log" 2>&1 &
  local second=$!
  codes=
  wait "$first" && codes=0 || codes=$?
  wait "$second" && codes="$codes 0" || codes="$codes $?"
}
bits() { sha256sum "$1"/checkpoints/step-00000060/{weights,optimizer}.safetensors | cut -c1-64; }
fail() {
  echo "$1" >&2
  cat "$work/a.log" "$work/b.log" >&2
  exit 1
}

train --out "$work/alone" >/dev/null 2>&1
wanted=$(bits "$work/alone")

troubles=(none "delay 5ms 4ms 25%" "delay 4ms reorder 25% 50%" "loss 2%")
if ! ip netns exec "$a" tc qdisc replace dev veth0 root netem delay 1ms 2>/dev/null; then
  echo "This kernel has no netem: delays, reordering and losses are left out."
  troubles=(none)
fi
for trouble in "${troubles[@]}"; do
  if [ "$trouble" != none ]; then
    for place in "$a" "$b"; do
      # shellcheck disable=SC2086
      ip netns exec "$place" tc qdisc replace dev veth0 root netem $trouble
    done
  fi
  rm -rf "$work/run"
  both "$work/run"
  [ "$codes" = "0 0" ] || fail "$trouble: exit codes $codes"
  [ "$(bits "$work/run")" = "$wanted" ] || fail "$trouble: other bits"
  echo "trouble on the link: $trouble: the bits of one process"
done
for place in "$a" "$b"; do ip netns exec "$place" tc qdisc del dev veth0 root 2>/dev/null || true; done

rm -rf "$work/run"
sed -i 's/^steps = 60/steps = 100000/' "$work/recipe.toml"
(
  while [ ! -d "$work/run/checkpoints/step-00000010" ]; do sleep 0.1; done
  date +%s.%N >"$work/cut"
  ip -n "$a" link set veth0 down
) &
both "$work/run"
seconds=$(echo "$(date +%s.%N) - $(cat "$work/cut")" | bc)
[ "$codes" = "75 75" ] || fail "cut link: exit codes $codes"
[ "$(echo "$seconds < 10" | bc)" = 1 ] || fail "cut link: found after $seconds s"
grep -q "process 2 of 2 .* has been silent" "$work/a.log" || fail "the first does not name the second"
grep -q "process 1 of 2 .* has been silent" "$work/b.log" || fail "the second does not name the first"
echo "cut link: both ended with 75 after ${seconds:0:4} s, naming each other"
