#!/usr/bin/env bash
# The one list of Debian packages that jogak needs. Installs what is missing and asks nothing.
#
#   scripts/install-packages.sh            to build
#   scripts/install-packages.sh --tests    to build and to run the tests
#   scripts/install-packages.sh --peers    also PyTorch, which runs the code that lessons print
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libhwy-dev           # vector instructions, chosen at run time
  libsentencepiece-dev  # training of unigram tokenizers
  libtomlplusplus-dev  # recipes
  libpng-dev libjpeg62-turbo-dev  # images
  zlib1g-dev libzstd-dev  # compressed data files
  libboost1.81-dev  # HTTP of the server
  esbuild node-typescript node-d3  # the page
)
case "${1:-}" in
  "") ;;
  --tests) packages+=(libgtest-dev clang-format python3-numpy) ;;
  --peers) packages+=(libgtest-dev clang-format python3-numpy python3-torch) ;;
  *)
    echo "usage: $0 [--tests|--peers]" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "Not a Debian system: nothing is installed. Needed are the counterparts of: ${packages[*]}"
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "Packages: all ${#packages[@]} are installed."
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Missing packages, and neither root nor sudo to install them. As root, run:" >&2
    echo "  apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Packages: installing ${missing[*]}"
"${as_root[@]}" apt-get -q update </dev/null
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get -q install -y --no-install-recommends "${missing[@]}" </dev/null
