#!/usr/bin/env bash
# Two processes of one run on two networks of their own (Linux network namespaces; as root): over a
# link that delays and reorders packets, or loses some, they must end with the bits of one process,
# and so with clocks a day apart (a time namespace) and with one of them slowed down; when the link is
# cut, both must end within ten seconds with exit code 75, naming the other; when the disk of the
# first is full, both must end with what is on it whole. Without netem in the kernel packets pass
# through scripts/packet-trouble.py.
#
#   sudo scripts/check-processes-network.sh [PROGRAM]      # build/jogak
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/jogak}")
work=$(mktemp -d)
a=jogak-a-$$ b=jogak-b-$$
relay=
finish() {
  [ -z "$relay" ] || kill "$relay" 2>/dev/null || true
  umount "$work/small" 2>/dev/null || true
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
host=10.77.0.1 # of the first
second_by=     # a command that starts the second
both() { # DIR [FLAG...]: the two of them, and what they ended with
  local out=$1
  shift
  ip netns exec "$a" "$program" train "$work/recipe.toml" --threads 1 --out "$out" --processes 2 \
    --process 1 --first "$host:29500" "$@" >"$work/a.log" 2>&1 &
  local first=$!
  # shellcheck disable=SC2086
  ip netns exec "$b" $second_by "$program" train "$work/recipe.toml" --threads 1 --out "$out" --processes 2 \
    --process 2 --first "$host:29500" "$@" >"$work/b.log" 2>&1 &
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

same_bits() { # WHAT
  rm -rf "$work/run"
  both "$work/run"
  [ "$codes" = "0 0" ] || fail "$1: exit codes $codes"
  [ "$(bits "$work/run")" = "$wanted" ] || fail "$1: other bits"
  echo "$1: the bits of one process"
}

same_bits "a link without trouble"
if ip netns exec "$a" tc qdisc replace dev veth0 root netem delay 1ms 2>/dev/null; then
  for trouble in "delay 5ms 4ms 25%" "delay 4ms reorder 25% 50%" "loss 2%"; do
    for place in "$a" "$b"; do
      # shellcheck disable=SC2086
      ip netns exec "$place" tc qdisc replace dev veth0 root netem $trouble
    done
    same_bits "netem $trouble"
  done
  for place in "$a" "$b"; do ip netns exec "$place" tc qdisc del dev veth0 root; done
else
  for trouble in "--delay 4" "--delay 1 --spread 4" "--delay 1 --loss 0.01"; do
    # shellcheck disable=SC2086
    coproc { exec python3 scripts/packet-trouble.py "$a" "$b" bad0 $trouble; }
    relay=$COPROC_PID
    read -r ready <&"${COPROC[0]}"
    [ "$ready" = ready ] || fail "no TUN device"
    ip -n "$a" addr add 10.78.0.1 peer 10.78.0.2 dev bad0
    ip -n "$b" addr add 10.78.0.2 peer 10.78.0.1 dev bad0
    for place in "$a" "$b"; do ip -n "$place" link set bad0 up; done
    exec {told}<&"${COPROC[0]}"
    host=10.78.0.1
    same_bits "packets $trouble"
    kill "$relay"
    relay=
    read -r told_line <&"$told" && echo "  $told_line"
    exec {told}<&-
    wait
  done
  host=10.77.0.1
fi

if unshare --time --monotonic 86400 true 2>/dev/null; then
  second_by="unshare --time --monotonic 86400 --boottime 86400"
  same_bits "clocks a day apart"
else
  echo "This kernel has no time namespaces: clocks apart are left out."
fi
second_by=
(
  while [ ! -d "$work/run/checkpoints/step-00000010" ]; do sleep 0.1; done
  slow=$(pgrep -f -- "--process 2 --first $host:29500")
  for _ in 1 2 3 4; do
    kill -STOP "$slow" 2>/dev/null || break
    sleep 1.5
    kill -CONT "$slow" 2>/dev/null || break
    sleep 0.2
  done
) &
same_bits "one that stands still for seconds"
wait

# The disk of the first has room for the beginning of the run alone.
mkdir "$work/small"
mount -t tmpfs -o size="$(($(du -sk "$work/alone" | cut -f1) * 6 / 10))k" none "$work/small"
both "$work/small/run"
[ "$codes" != "0 0" ] || fail "full disk: nobody noticed"
grep -q "No space left on device" "$work/a.log" || fail "full disk: the first does not say so: $codes"
echo "full disk of the first: exit codes $codes, $(grep -o 'jogak: .*' "$work/b.log" | tail -1)"
rm -rf "$work/run"
cp -r "$work/small/run" "$work/run"
umount "$work/small"
"$program" train "$work/recipe.toml" --threads 1 --out "$work/run" --resume >"$work/a.log" 2>&1 ||
  fail "full disk: the run does not go on"
[ "$(bits "$work/run")" = "$wanted" ] || fail "full disk: other bits after going on"
echo "full disk of the first: with more room it goes on to the bits of one process"

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
