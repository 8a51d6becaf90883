# Cross-compiling for arm64 with Debian's g++-aarch64-linux-gnu; scripts/check-arm64.sh uses it and
# fills JOGAK_SYSROOT with the headers and libraries of Debian's arm64 packages.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH $ENV{JOGAK_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;/usr/aarch64-linux-gnu;-E
  LD_LIBRARY_PATH=$ENV{JOGAK_SYSROOT}/usr/lib/aarch64-linux-gnu)
# Where Debian keeps headers that differ from machine to machine (jconfig.h).
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES $ENV{JOGAK_SYSROOT}/usr/include/aarch64-linux-gnu)
