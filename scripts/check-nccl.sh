#!/usr/bin/env bash
# On a machine with an NVIDIA GPU and libnccl.so.2: what GPUs exchange through NCCL, tried by one GPU
# with itself (bits, cost beside the way through the host, a receipt that never comes), and a small
# training run in two processes beside the same in one, which must end with the same bits. Two
# processes on one GPU exchange through the host, and say so; with two GPUs or more each process takes
# one and NCCL carries the bytes. Some minutes; builds what is not there, in BUILD.
#
#   scripts/check-nccl.sh [BUILD]      # build-cuda
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build-cuda}
if [ ! -x "$build/nccl_bench" ]; then
  cmake --preset cuda -B "$build" -DJOGAK_BENCH=ON >/dev/null
  cmake --build "$build" --target nccl_bench
fi
nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv,noheader || true
"$build/nccl_bench"

if [ ! -x "$build/jogak" ]; then
  echo "$build/jogak is not there: training in two processes was not tried" >&2
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/recipe.toml" <<'RECIPE'
[model]
family = "gpt2"
preset = "tiny"
n_layer = 6
n_head = 6
n_embd = 384
[tokenizer]
type = "char"
[data]
make = "sort"
count = 4000
valid_count = 50
[train]
steps = 50
batch = 64
micro_batches = 4
warmup = 5
eval_every = 25
RECIPE
bits() { sha256sum "$work/$1"/checkpoints/step-00000050/{weights,optimizer}.safetensors | cut -c1-64; }
for count in 1 2; do
  "$build/jogak" train "$work/recipe.toml" --device cuda --processes "$count" --out "$work/$count" \
    >"$work/out" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
  echo "$count: $(head -1 "$work/out")"
  grep "GPU to GPU" "$work/log" || true
done
[ "$(bits 1)" = "$(bits 2)" ] || { echo "other bits with two processes than with one" >&2; exit 1; }
echo "training in 1 and 2 processes: the same bits"
