#!/usr/bin/env bash
# From a fresh Debian machine to a trained model: installs what is missing, builds build/jogak,
# and runs "jogak demo". May be run again; what is done already is not done twice.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n==> %s\n' "$*"; }

# The terminal's input is left alone until the demo, which invites the user to type.
step "1/4 Debian packages"
scripts/install-packages.sh </dev/null
step "2/4 Configuring (cmake --preset release)"
cmake --preset release </dev/null
step "3/4 Building build/jogak"
cmake --build build --target jogak_cli </dev/null
step "4/4 build/jogak demo"
exec build/jogak demo "$@"
