#!/usr/bin/env bash
# Holds the sources to the layering: what each folder may include, where outside libraries may be
# used, and what is not used at all. Runs as part of the build, folder by folder. Without folders it
# also looks for files that include each other in a circle (scripts/check-headers.py).
#
#   scripts/check-includes.sh [-C ROOT] [FOLDER...]     for example: src/text cli
#
# Without folders the whole tree is checked. Prints FILE:LINE: what is wrong; fails if anything is.
set -euo pipefail

checks=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$checks")
if [ "${1:-}" = -C ]; then
  root=$2
  shift 2
fi
cd "$root"

# Folder: the folders it may include besides itself ("*": every folder of src).
rules='
base:
group: base
text: base
tensor: base
autograd: base tensor
io: base tensor
data: base text tensor io
ops: base tensor autograd
nn: base tensor autograd ops io
models: base tensor autograd ops io nn
generate: base tensor autograd ops io nn text
train: base tensor autograd ops io nn data group
score: base
draw: base
explain: base draw
look: base tensor autograd ops io nn draw
app: *
cli: app base server
server: app base
'

# Header of an outside library, where it may be included, in words.
outside='
^hwy/               ^src/ops/(kernels/)?[^/]*(_cpu\.cpp|-inl\.h)$   src/ops/*_cpu.cpp~and~*-inl.h
^(pcre2|utf8proc|oniguruma)  ^$                           nowhere
^sentencepiece      ^src/text/train/spm\.cpp$            src/text/train/spm.cpp
^toml\+\+           ^src/app/                            one~file~of~src/app
^(zlib|zstd)        ^src/base/                           src/base
^(ft2build|freetype)  ^src/draw/outline_font\.cpp$        src/draw/outline_font.cpp
^png\.h             ^src/data/image_png\.cpp$            src/data/image_png.cpp
^(jpeglib|jerror)   ^src/data/image_jpeg\.cpp$           src/data/image_jpeg.cpp
^omp\.h             ^$                                   nowhere
^(cpuid|[a-z0-9]*intrin|arm_[a-z]*)\.h  ^src/base/([a-z]*/)?[a-z0-9_]*_x86\.cpp$  *_x86.cpp~of~src/base
^(cuda|cublas|cub/|mma)  ^src/(tensor|ops)/(kernels/)?[^/]*\.cuh?$  *.cu~and~*.cuh~of~src/tensor~and~src/ops
^cudnn              ^src/ops/kernels/attention_cudnn\.cpp$  src/ops/kernels/attention_cudnn.cpp
^cutlass/           ^src/ops/kernels/gemm_gelu_cuda\.cu$  src/ops/kernels/gemm_gelu_cuda.cu
^dlfcn              ^src/(base/shared_library|group/mpi_group)\.cpp$  src/base/shared_library.cpp~and~src/group/mpi_group.cpp
^boost/             ^server/(http\.cpp|wire\.h|session\.h)$   server/http.cpp,~wire.h~and~session.h
^(gtest|gmock)      ^tests/                              tests
^regex$             ^$                                   nowhere
'

# Never called: each has a safe twin (from_chars, snprintf, std::string, our own parsers).
banned='std::w?regex|(^|[^A-Za-z0-9_.>])(system|popen|strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atof|alloca)[ ]*\(|std::sto(i|l|ll|ul|ull|f|d|ld)[ ]*\('

existing() { for path in "$@"; do if [ -e "$path" ]; then echo "$path"; fi; done; }

if [ $# -gt 0 ]; then
  places=$(existing "$@")
  builds=
else
  places=$(existing src/* cli server)
  builds=$(existing CMakeLists.txt CMakePresets.json cmake/* tests/CMakeLists.txt bench/CMakeLists.txt)
fi

status=0
if [ -n "$places" ]; then
  # shellcheck disable=SC2086
  find $places -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print |
    LC_ALL=C sort |
    RULES=$rules OUTSIDE=$outside BANNED=$banned LC_ALL=C awk '
      BEGIN {
        n = split(ENVIRON["RULES"], lines, "\n")
        for (i = 1; i <= n; ++i)
          if (split(lines[i], part, ":") == 2) allowed[part[1]] = " " part[1] part[2] " "
        n = split(ENVIRON["OUTSIDE"], lines, "\n")
        for (i = 1; i <= n; ++i)
          if (split(lines[i], part, " ") == 3) {
            header[++libraries] = part[1]; where[libraries] = part[2]; words[libraries] = part[3]
            gsub(/~/, " ", words[libraries])
          }
        banned = ENVIRON["BANNED"]
      }
      function wrong(what) { print file ":" line ": " what; bad = 1 }
      function check_own(name) {
        other = name
        if (!sub(/\/.*/, "", other))
          return wrong("\"" name "\" is included without its folder, wanted \"" folder "/" name "\"")
        if (!(other in allowed)) return wrong("\"" name "\": no folder of src is called " other)
        if (index(allowed[folder], " * ") && other != "cli" && other != "server") return
        if (!index(allowed[folder], " " other " "))
          wrong(folder " includes \"" name "\", it may include" allowed[folder] "only")
      }
      function check_outside(name) {
        for (i = 1; i <= libraries; ++i)
          if (name ~ header[i] && file !~ where[i])
            wrong("<" name "> may be included in " words[i] " only")
        if (name ~ /^toml\+\+/ && toml != "" && toml != file)
          wrong("<" name "> may be included in one file only, " toml " has it too")
        if (name ~ /^toml\+\+/) toml = file
      }
      {
        file = $0; line = 0
        folder = file; sub(/^src\//, "", folder); sub(/\/.*/, "", folder)
        if (!(folder in allowed)) { wrong("the folder " folder " has no rule"); next }
        while ((getline text < file) > 0) {
          ++line
          if (text ~ /^[ \t]*#[ \t]*include/) {
            name = text
            if (sub(/^[^"<]*"/, "", name) && sub(/".*/, "", name)) check_own(name)
            else if (sub(/^[^"<]*</, "", name) && sub(/>.*/, "", name)) check_outside(name)
            continue
          }
          sub(/\/\/.*/, "", text)
          if (match(text, banned)) {
            what = substr(text, RSTART, RLENGTH)
            gsub(/^[^A-Za-z]+|[ (]+$/, "", what)
            wrong(what " is not used here")
          }
          if (text ~ /fast-math|Ofast/) wrong("fast-math is not used here")
        }
        close(file)
      }
      END { exit bad }
    ' || status=1
fi
if [ -n "$builds" ]; then
  # shellcheck disable=SC2086
  if grep -nE -e '-ffast-math|-Ofast' $builds /dev/null; then
    echo "fast-math is not used here"
    status=1
  fi
fi
if [ $# -eq 0 ]; then
  "$checks/check-headers.py" -C . || status=1
fi
exit $status
