# What the tests of the READMEs and of the guides share. Source it.

# Every line of the sh blocks of a page, without the set-up scripts: they install and build, and
# call these tests among others.
commands() { awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$1" | grep -v '^\./scripts/'; }

# Trainings as tests have time for them: pages and help show whole ones, which are worth looking at.
shortened() {
  sed -E -e 's/ (train|study) recipes\/[a-z0-9-]+\.toml/& --steps 4/' -e 's/ bench (train|generate|translate|forward) .*/& --steps 4/' \
    -e 's/--resume(.*) --steps [0-9]+/--resume\1 --steps 6/' -e 's/--steps 4(.*) --steps [0-9]+/\1 --steps 4/' \
    -e 's/--steps [0-9]+ (.*)--steps 4$/\1--steps 4/' \
    -e 's/ eval (.*) --make [a-z]+/& --count 20/' -e 's/--count 20 (.*)--count [0-9]+/\1--count 20/' \
    -e 's/--preset base/--preset tiny/' -e 's/--seq 512/--seq 32/' -e 's/--family llama/& --preset tiny/'
}

# Runs `jogak serve ...` on a free port until it says where it listens, then ends it: it leaves with 0.
serve_once() {
  : >"$2"  # of an earlier command
  bash -euo pipefail -c "exec $(sed -E "s/ --port [0-9]+//" <<<"$1") --port 0" </dev/null >"$2" 2>"$3" &
  local server=$!
  for _ in {1..200}; do
    grep -q '^http://127' "$2" && break
    sleep 0.1
  done
  kill -TERM "$server" && wait "$server" && grep -q '^http://127' "$2"
}

# Runs one command of a page; it must succeed and print something.
run_command() {
  echo "$1: $2"
  case "$2" in
    *' serve '*)
      serve_once "$2" out.txt err.txt || { echo "FAILED: $2" && cat err.txt && exit 1; }
      return
      ;;
  esac
  if ! bash -euo pipefail -c "$2" </dev/null >out.txt 2>err.txt; then
    echo "FAILED: $2" && cat err.txt && exit 1
  fi
  if [ ! -s out.txt ]; then
    echo "FAILED: prints nothing: $2" && exit 1
  fi
}
