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
  esbuild node-typescript node-d3-scale node-d3-shape  # the page
)
tests=(
  libgtest-dev clang-format python3-numpy
  chromium chromium-driver python3-selenium  # the page in a browser
)
case "${1:-}" in
  "") ;;
  --tests) packages+=("${tests[@]}") ;;
  --peers) packages+=("${tests[@]}" python3-torch) ;;
  *)
    echo "usage: $0 [--tests|--peers]" >&2
    exit 2
    ;;
esac

# Nice to have: letters of a font in PNGs. Without them the letters are strokes of our own.
wished=(libfreetype-dev fonts-nanum)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "Not a Debian system: nothing is installed. Needed are the counterparts of: ${packages[*]}"
  exit 0
fi

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]; }
missing=() lacking=()
for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done
for package in "${wished[@]}"; do installed "$package" || lacking+=("$package"); done
if [ ${#missing[@]} -eq 0 ]; then
  echo "Packages: all ${#packages[@]} are installed."
  [ ${#lacking[@]} -eq 0 ] || echo "PNGs would have better letters with: ${lacking[*]}"
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
  apt-get -q install -y --no-install-recommends "${missing[@]}" "${lacking[@]}" </dev/null
