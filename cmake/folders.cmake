# One static library per folder of src/. The order and the links are the layering; the script
# scripts/check-includes.sh holds the sources to the same table.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
# Debian's dnnl package configuration asks for OpenCL, which the CPU part does not use.
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)

# jogak_folder(name USES folder... OUTSIDE library...): outside libraries stay private.
function(jogak_folder name)
  cmake_parse_arguments(arg "" "" "USES;OUTSIDE" ${ARGN})
  list(TRANSFORM arg_USES PREPEND jogak_)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)  # a folder whose first file is still to come
    add_library(jogak_${name} INTERFACE)
    target_link_libraries(jogak_${name} INTERFACE ${arg_USES})
    return()
  endif()
  add_library(jogak_${name} STATIC ${sources})
  target_include_directories(jogak_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include/jogak>)
  target_link_libraries(jogak_${name} PUBLIC ${arg_USES}
    PRIVATE $<BUILD_INTERFACE:jogak_flags> ${arg_OUTSIDE})
  set_property(GLOBAL APPEND PROPERTY JOGAK_FOLDERS jogak_${name})
endfunction()

jogak_folder(base OUTSIDE Threads::Threads OpenMP::OpenMP_CXX ZLIB::ZLIB PkgConfig::ZSTD)
jogak_folder(text USES base OUTSIDE PkgConfig::PCRE2 PkgConfig::UTF8PROC)
jogak_folder(tensor USES base)
jogak_folder(autograd USES tensor)
jogak_folder(ops USES autograd OUTSIDE ${DNNL_LIBRARY} PkgConfig::HWY OpenMP::OpenMP_CXX)
jogak_folder(io USES tensor)
jogak_folder(data USES text io)
jogak_folder(nn USES ops io)
jogak_folder(models USES nn)
jogak_folder(generate USES nn text)
jogak_folder(train USES nn data)
jogak_folder(score USES base)
jogak_folder(look USES nn)
jogak_folder(app USES models generate train score look data)

# Kernels are compiled for the baseline, AVX2 and AVX-512, and chosen at run time.
target_compile_definitions(jogak_ops PRIVATE
  "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL)")
