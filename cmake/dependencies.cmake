# Outside libraries, found the same way by the build and by projects that use an installed jogak.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
pkg_check_modules(TOMLPLUSPLUS REQUIRED tomlplusplus)  # its headers alone
pkg_check_modules(FREETYPE IMPORTED_TARGET freetype2)  # letters in PNGs; without it they are strokes

