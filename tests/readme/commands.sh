# What the tests of the READMEs and of the guides share. Source it.

# Every line of the sh blocks of a page, without the set-up scripts: they install and build, and
# call these tests among others.
commands() { awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$1" | grep -v '^\./scripts/'; }

# Runs one command of a page; it must succeed and print something.
run_command() {
  echo "$1: $2"
  if ! bash -euo pipefail -c "$2" </dev/null >out.txt 2>err.txt; then
    echo "FAILED: $2" && cat err.txt && exit 1
  fi
  if [ ! -s out.txt ]; then
    echo "FAILED: prints nothing: $2" && exit 1
  fi
}
