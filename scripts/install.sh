#!/usr/bin/env bash
# Builds jogak and installs it: the program, its manual page, completion for bash and zsh, and the library.
#
#   scripts/install.sh               into ~/.local
#   scripts/install.sh PREFIX        for example /usr/local, as root
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${1:-$HOME/.local}
case "$prefix" in
  -*) echo "usage: scripts/install.sh [PREFIX]" >&2 && exit 2 ;;
esac

scripts/install-packages.sh </dev/null
cmake --preset release -DJOGAK_TESTS=OFF
cmake --build build
cmake --install build --prefix "$prefix"
echo
echo "Installed: $prefix/bin/jogak"
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) echo "Your PATH does not name it yet: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
