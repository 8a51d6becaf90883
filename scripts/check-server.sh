#!/usr/bin/env bash
# `jogak serve` under 10,000 requests of every kind mixed with 2,000 hostile ones (tests/server/soak.py): as it is released, where
# its memory must stay flat, and under sanitizers, which must have nothing to say.
#
#   scripts/check-server.sh [plain] [asan] [tsan]      all three without arguments
#   REQUESTS=1000 HOSTILE=200 scripts/check-server.sh asan
set -euo pipefail
cd "$(dirname "$0")/.."
requests=${REQUESTS:-10000} hostile=${HOSTILE:-2000}

soak() { # folder of the build, further arguments
  local build=$1
  shift
  cmake --build "$build" --target jogak_cli
  python3 tests/server/soak.py . "$build/jogak" --requests "$requests" --hostile "$hostile" "$@"
}

for kind in "${@:-plain asan tsan}"; do
  for one in $kind; do
    echo "==> $one"
    case $one in
      plain)
        [ -e build/build.ninja ] || cmake --preset release
        soak build --flat
        ;;
      asan)
        [ -e build-asan/build.ninja ] || cmake --preset asan
        soak build-asan
        ;;
      tsan)
        [ -e build-tsan/build.ninja ] || cmake -S . -B build-tsan -G Ninja -DCMAKE_BUILD_TYPE=Debug \
          -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DJOGAK_SANITIZE=thread -DJOGAK_TESTS=OFF -DJOGAK_UNITY=ON
        soak build-tsan
        ;;
      *)
        echo "check-server.sh: found $one, wanted plain, asan or tsan" >&2
        exit 64
        ;;
    esac
  done
done
