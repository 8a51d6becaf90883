#!/usr/bin/env bash
# Builds the fuzz targets with clang's libFuzzer and the sanitizers and runs them, one after the
# other.
#
#   fuzz/run.sh [--seconds N] [--runs N] [--timeout N] [--build] [TARGET...]
#
# TARGET is the name of a .cpp file of this folder; without one all are run. --build stops before
# running. One input may take --timeout seconds (10). Inputs start from the goldens and from
# tests/malformed; what was found useful is kept in build-fuzz/corpus/TARGET, a crash in
# build-fuzz/found. Fails when there is one.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=1800 runs=-1 timeout=10 build_only=
targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift ;;
    --runs) runs=$2; shift ;;
    --timeout) timeout=$2; shift ;;
    --build) build_only=yes ;;
    -*) echo "usage: $0 [--seconds N] [--runs N] [--timeout N] [--build] [TARGET...]" >&2; exit 2 ;;
    *) targets+=("$1") ;;
  esac
  shift
done
[ ${#targets[@]} -gt 0 ] || for file in fuzz/*.cpp; do targets+=("$(basename "$file" .cpp)"); done

if ! command -v clang++ > /dev/null ||
    [ ! -f "$(clang++ -print-resource-dir)/lib/linux/libclang_rt.fuzzer-$(uname -m).a" ]; then
  $([ "$(id -u)" = 0 ] || echo sudo) apt-get install -y --no-install-recommends clang libclang-rt-14-dev
fi

out=build-fuzz
mkdir -p $out/objects $out/found
flags=(-std=c++20 -O1 -g1 -fno-omit-frame-pointer -Isrc -I. -fsanitize=address,undefined
       -fno-sanitize-recover=all -fsanitize=fuzzer-no-link
       -DHWY_COMPILE_ONLY_STATIC)  # no target computes: kernels are here for what links them
compiler=(clang++)
! command -v ccache > /dev/null || compiler=(ccache clang++)
# Files of a folder are compiled several at a time, as the build does it; those of ops one by one.
mkdir -p $out/units
units=()
make_units() { # FILES AT ONCE, FILES OF ONE FOLDER...
  local at_once=$1 files=() unit
  shift
  for source in "$@"; do
    # No target trains, and support/serial.cpp computes with one thread.
    case $source in
      src/base/parallel.cpp | src/text/train/spm.cpp | src/text/train/pair.cpp | *_cudnn.cpp) ;;
      *) files+=("$source") ;;
    esac
  done
  while [ ${#files[@]} -gt 0 ]; do
    unit=$out/units/$(echo "${files[0]%.cpp}" | tr / _).cpp
    printf '#include "%s"\n' "${files[@]:0:at_once}" > "$unit.new"
    cmp -s "$unit.new" "$unit" || mv "$unit.new" "$unit"
    rm -f "$unit.new"
    units+=("$unit")
    files=("${files[@]:at_once}")
  done
}
for folder in fuzz/support src/base src/base/*/ src/text src/text/*/ src/tensor src/io src/autograd src/nn \
    src/models src/models/*/; do
  make_units 6 "${folder%/}"/*.cpp
done
make_units 1 src/ops/*.cpp src/ops/kernels/*.cpp
make_units 6 src/data/{image_*,idx_file,table,series*,calendar,date*}.cpp
make_units 6 src/generate/{settings_keys,settings_read,plan,score_rules,sampling}.cpp
make_units 6 src/train/{schedule,optimizer_names}.cpp
make_units 1 src/look/switches.cpp src/app/train/recipe_{read,write,keys,use}.cpp

stale=() objects=()
for unit in "${units[@]}"; do
  object=$out/objects/$(basename "${unit%.cpp}").o
  objects+=("$object")
  # The compiler writes down what it has read; when that is newer, it is read again.
  if [ ! -f "$object" ] || ! read_files=$(sed 's/^[^:]*://; s/\\$//' "${object%.o}.d") ||
      [ -n "$(find $read_files -newer "$object" 2>&1)" ]; then
    stale+=("-c $unit -o $object")
  fi
done
[ ${#stale[@]} -eq 0 ] ||
  printf '%s\n' "${stale[@]}" | xargs -P "$(nproc)" -L 1 "${compiler[@]}" "${flags[@]}" -MD
rm -f $out/parts.a  # of an archive a target takes what it needs, and no more
ar rcs $out/parts.a "${objects[@]}"
for target in "${targets[@]}"; do
  clang++ "${flags[@]}" -fsanitize=fuzzer -static-libstdc++ -static-libgcc "fuzz/$target.cpp" \
    $out/parts.a -l:libpng.a -l:libjpeg.a -l:libz.a -l:libzstd.a -lhwy -o "$out/$target"
done
python3 fuzz/make_seeds.py $out/seeds
[ -z "$build_only" ] || exit 0

export JOGAK_FUZZ_TOKENIZERS=$PWD/$out/seeds/tokenizers
for target in "${targets[@]}"; do
  mkdir -p "$out/corpus/$target"
  length=16384
  case $target in
    encode) length=400 ;;
    config_json | generation_config | recipe | safetensors | chat_template) length=4096 ;;
    gguf) length=20000 ;;
  esac
  "$out/$target" "$out/corpus/$target" "$out/seeds/$target" -dict=fuzz/words.dict -max_len=$length \
    -max_total_time="$seconds" -runs="$runs" -rss_limit_mb=2048 -timeout="$timeout" -reload=0 \
    -artifact_prefix=$out/found/ -print_final_stats=1
done
