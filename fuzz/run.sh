#!/usr/bin/env bash
# Builds a fuzz target with clang's libFuzzer and the sanitizers and runs it.
#
#   fuzz/run.sh TARGET [SECONDS]        TARGET: the name of a .cpp file of this folder
#
# Inputs start from the goldens; what was found useful is kept in build-fuzz/corpus/TARGET, a crash
# in build-fuzz/found. Fails when there is one.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?usage: fuzz/run.sh TARGET [SECONDS]}
seconds=${2:-1800}
out=build-fuzz
mkdir -p $out/objects "$out/corpus/$target" $out/found

flags=(-std=c++20 -O1 -g -fno-omit-frame-pointer -Isrc -I. -fsanitize=address,undefined
       -fno-sanitize-recover=all -fsanitize=fuzzer-no-link)
objects=()
for source in src/base/*.cpp src/text/*.cpp; do
  case $source in src/base/parallel.cpp | src/text/train_spm.cpp | src/text/train_pair.cpp) continue ;; esac
  object=$out/objects/$(echo "${source%.cpp}" | tr / _).o
  objects+=("$object")
  if [ ! -f "$object" ] || [ -n "$(find "$source" src/base/*.h src/text/*.h -newer "$object")" ]; then
    clang++ "${flags[@]}" -c "$source" -o "$object"
  fi
done
clang++ "${flags[@]}" -fsanitize=fuzzer "fuzz/$target.cpp" "${objects[@]}" -lz -lzstd -o "$out/$target"

seeds=tests/goldens/tokenizers
case $target in
  spm_model) cp $seeds/spm/*.model "$out/corpus/$target" ;;
  spm_encode) export JOGAK_FUZZ_MODELS=$PWD/$seeds/spm ;;
esac
"$out/$target" "$out/corpus/$target" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 \
  -artifact_prefix=$out/found/ -print_final_stats=1
