# One static library per folder of src/. The order and the links are the layering; the script
# scripts/check-includes.sh holds the sources to the same table.
include(cmake/dependencies.cmake)

# jogak_check_includes(target folder): a folder that includes what it may not is not compiled.
function(jogak_check_includes target folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp
    ${CMAKE_SOURCE_DIR}/${folder}/*.h)
  string(REPLACE "/" "-" name ${folder})
  set(stamp ${CMAKE_BINARY_DIR}/includes/${name}.stamp)
  set(script ${CMAKE_SOURCE_DIR}/scripts/check-includes.sh)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/includes)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${script} -C ${CMAKE_SOURCE_DIR} ${folder}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${script} ${sources} COMMENT "Checking includes of ${folder}" VERBATIM)
  add_custom_target(includes-${name} DEPENDS ${stamp})
  add_dependencies(${target} includes-${name})
endfunction()

# The standard headers nearly every file includes take longer to read than most files: they are
# compiled once. Files still include what they use.
set(common_headers <algorithm> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory>
  <sstream> <string> <string_view> <utility> <vector>)
file(CONFIGURE OUTPUT nothing.cpp CONTENT "")
add_library(jogak_std_headers STATIC ${CMAKE_CURRENT_BINARY_DIR}/nothing.cpp)
target_link_libraries(jogak_std_headers PRIVATE jogak_flags)
target_precompile_headers(jogak_std_headers PRIVATE ${common_headers})

# jogak_folder(name USES folder... OUTSIDE library...): outside libraries stay private.
function(jogak_folder name)
  cmake_parse_arguments(arg "" "" "USES;OUTSIDE" ${ARGN})
  list(TRANSFORM arg_USES PREPEND jogak_)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)  # a folder whose first file is still to come
    add_library(jogak_${name} INTERFACE)
    target_link_libraries(jogak_${name} INTERFACE ${arg_USES})
    set_property(GLOBAL APPEND PROPERTY JOGAK_FOLDERS ${name})
    return()
  endif()
  add_library(jogak_${name} STATIC ${sources})
  target_include_directories(jogak_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include/jogak>)
  target_link_libraries(jogak_${name} PUBLIC ${arg_USES}
    PRIVATE $<BUILD_INTERFACE:jogak_flags> ${arg_OUTSIDE})
  # OpenMP's flag makes another precompiled header, and what sanitizers compile with -O1 (below) does.
  if(OpenMP::OpenMP_CXX IN_LIST arg_OUTSIDE OR (JOGAK_SANITIZE AND name STREQUAL "base"))
    target_precompile_headers(jogak_${name} PRIVATE ${common_headers})
  else()
    target_precompile_headers(jogak_${name} REUSE_FROM jogak_std_headers)
  endif()
  # Every op has a forward and a backward, every topic a story: names that files of these folders
  # share, so that each is compiled alone.
  if(JOGAK_UNITY AND NOT name MATCHES "^(ops|draw|explain|look)$")
    set_target_properties(jogak_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  jogak_check_includes(jogak_${name} src/${name})
  set_property(GLOBAL APPEND PROPERTY JOGAK_FOLDERS ${name})
endfunction()

jogak_folder(base OUTSIDE Threads::Threads ZLIB::ZLIB PkgConfig::ZSTD
  ${CMAKE_DL_LIBS})
jogak_folder(group USES base OUTSIDE Threads::Threads ${CMAKE_DL_LIBS})
jogak_folder(text USES base OUTSIDE PkgConfig::SENTENCEPIECE)
jogak_folder(tensor USES base)
jogak_folder(autograd USES tensor)
jogak_folder(ops USES autograd OUTSIDE PkgConfig::HWY OpenMP::OpenMP_CXX)
jogak_folder(io USES tensor)
jogak_folder(data USES text io OUTSIDE PNG::PNG JPEG::JPEG)
jogak_folder(nn USES ops io)
jogak_folder(models USES nn)
jogak_folder(generate USES nn text)
jogak_folder(train USES nn data group)
jogak_folder(score USES base)
if(FREETYPE_FOUND)
  jogak_folder(draw USES base OUTSIDE PkgConfig::FREETYPE)
  target_compile_definitions(jogak_draw PRIVATE JOGAK_FREETYPE)
else()
  jogak_folder(draw USES base)
endif()
jogak_folder(explain USES draw)
jogak_folder(look USES nn draw)
jogak_folder(app USES models generate train score explain look data)
target_include_directories(jogak_app PRIVATE ${TOMLPLUSPLUS_INCLUDE_DIRS})

include(cmake/recipes.cmake)

# Lessons and pictures are made of words, models of calls: nothing in them repays the time of -O3.
foreach(folder draw explain look models)
  target_compile_options(jogak_${folder} PRIVATE $<$<CONFIG:Release>:-O1>)
endforeach()
target_compile_options(jogak_app PRIVATE $<$<CONFIG:Release>:-O2>)
# But for the largest of a hundred million weights, which a page waits for.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/look/head_tiles.cpp PROPERTIES
  COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> SKIP_PRECOMPILE_HEADERS ON)  # which are for another -O

# Under sanitizers most code compiles in half the time without optimization; what computes needs it.
if(JOGAK_SANITIZE)
  foreach(folder base ops)
    target_compile_options(jogak_${folder} PRIVATE -O1)
  endforeach()
endif()

# Kernels are compiled for the baseline, AVX2 and AVX-512, and chosen at run time. Sanitizers look
# at the first two: the third is the same source, and takes as long to compile as both. On arm64 it is
# NEON alone: kernels keep vectors in arrays, which those of SVE, whose size is not known, cannot be.
set(left_out "HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128")
if(JOGAK_SANITIZE)
  string(APPEND left_out "|HWY_AVX3")
endif()
target_compile_definitions(jogak_ops PRIVATE "HWY_DISABLED_TARGETS=(${left_out})")

# An op without a case in tests/ops/cases is not compiled either.
set(op_cases_script ${CMAKE_SOURCE_DIR}/scripts/check-op-cases.sh)
set(op_cases_stamp ${CMAKE_BINARY_DIR}/includes/op-cases.stamp)
file(GLOB op_cases_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/ops/*.cpp
  ${CMAKE_SOURCE_DIR}/tests/ops/cases/*.cpp)
add_custom_command(OUTPUT ${op_cases_stamp}
  COMMAND ${op_cases_script}
  COMMAND ${CMAKE_COMMAND} -E touch ${op_cases_stamp}
  DEPENDS ${op_cases_script} ${op_cases_sources} COMMENT "Checking that every op has cases" VERBATIM)
add_custom_target(op-cases DEPENDS ${op_cases_stamp})
add_dependencies(jogak_ops op-cases)
