#!/usr/bin/env bash
# The page of web/: checked by tsc where there is one, made one file by esbuild, and not too large.
#
#   scripts/build-page.sh WEB OUT         (NODE_PATH says where d3 is)
set -euo pipefail
web=$1
out=$2
most=153600 # bytes of everything the browser loads

mkdir -p "$out"
if command -v tsc >/dev/null; then
  tsc --project "$web/tsconfig.json"
else
  echo "The page's types are not checked: tsc is missing (Debian: node-typescript)"
fi
esbuild "$web/main.ts" --bundle --minify --charset=utf8 --target=es2020 --format=iife \
  "--alias:d3-interpolate=$(cd "$web" && pwd)/interpolate.ts" --log-level=warning \
  --outfile="$out/page.js"
esbuild "$web/page.css" --bundle --minify --charset=utf8 --log-level=warning --outfile="$out/page.css"
cp "$web/index.html" "$web/icon.svg" "$out/"
size=$(cat "$out"/{page.js,page.css,index.html,icon.svg} | wc -c)
if [ "$size" -gt "$most" ]; then
  echo "The page has $size bytes, at most $most are wanted" >&2
  exit 1
fi
