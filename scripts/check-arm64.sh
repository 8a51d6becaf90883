#!/usr/bin/env bash
# Builds jogak for arm64 and runs the tests of base, tensor and ops under qemu. Wants Debian's
# g++-aarch64-linux-gnu and, to run the tests, qemu-user-static; the headers and libraries of the
# arm64 packages are downloaded into the build folder, and the system stays as it is.
#
#   scripts/check-arm64.sh [BUILD]          build-arm64 unless given; JOBS says how many at once
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-build-arm64}"
build=$(cd "${1:-build-arm64}" && pwd)
export JOGAK_SYSROOT=$build/sysroot

packages=(
  libhwy-dev libhwy1 libsentencepiece-dev libsentencepiece0 libprotobuf-lite32
  libtomlplusplus-dev libtomlplusplus3 libpng-dev libpng16-16 libjpeg62-turbo-dev libjpeg62-turbo
  zlib1g-dev zlib1g libzstd-dev libzstd1 libboost1.81-dev libgtest-dev
)
if [ ! -e "$JOGAK_SYSROOT/complete" ]; then
  echo "==> Debian's arm64 packages"
  state=$build/apt
  mkdir -p "$JOGAK_SYSROOT" "$state/lists/partial" "$state/cache/archives/partial" "$state/debs"
  touch "$state/status"
  apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=
    -o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache")
  "${apt[@]}" update
  (cd "$state/debs" && "${apt[@]}" download "${packages[@]}")
  for package in "$state"/debs/*.deb; do dpkg-deb -x "$package" "$JOGAK_SYSROOT"; done
  touch "$JOGAK_SYSROOT/complete"
fi

echo "==> Building"
libraries=$JOGAK_SYSROOT/usr/lib/aarch64-linux-gnu
export PKG_CONFIG_LIBDIR=$libraries/pkgconfig:$JOGAK_SYSROOT/usr/share/pkgconfig
export PKG_CONFIG_SYSROOT_DIR=$JOGAK_SYSROOT
cmake -S . -B "$build" -G Ninja --toolchain cmake/arm64.cmake -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DJOGAK_TESTS=ON -DJOGAK_UNITY=ON -DJOGAK_CUDA=OFF \
  -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$libraries:$JOGAK_SYSROOT/lib/aarch64-linux-gnu"
cmake --build "$build" --parallel "${JOBS:-$(nproc)}" \
  --target jogak_cli base_tests tensor_tests ops_tests

echo "==> Tests of base, tensor and ops under qemu"
if ! command -v qemu-aarch64-static >/dev/null; then
  echo "qemu-aarch64-static is not there (package qemu-user-static): what was built is not run"
  exit 0
fi
for tests in base tensor ops; do
  qemu-aarch64-static -L /usr/aarch64-linux-gnu \
    -E "LD_LIBRARY_PATH=$libraries:$JOGAK_SYSROOT/lib/aarch64-linux-gnu" \
    "$build/tests/${tests}_tests" --gtest_brief=1
done
