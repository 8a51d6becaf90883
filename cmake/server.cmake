# server/ with the page of web/ inside. Without Boost everything is built but the server, without
# esbuild and d3 everything but the page; both say so, here and when they are asked for.
find_package(Boost 1.74 QUIET)

file(GLOB server_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/server/*.cpp)
if(Boost_FOUND)
  list(FILTER server_sources EXCLUDE REGEX "/without_http.cpp$")
else()
  list(FILTER server_sources EXCLUDE REGEX "/http.cpp$")
  message(WARNING "Without the server: Boost 1.74 or later is missing (Debian: libboost1.81-dev). "
    "`jogak serve` will say so.")
endif()
add_library(jogak_server STATIC ${server_sources})
target_include_directories(jogak_server PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(jogak_server PUBLIC jogak_app PRIVATE jogak_flags Threads::Threads)
if(Boost_FOUND)
  target_link_libraries(jogak_server PRIVATE Boost::headers)
endif()
target_precompile_headers(jogak_server REUSE_FROM jogak_std_headers)
# Requests wait for models and networks, not for this: nothing in it repays the time of -O3.
# GCC 12 at -O1 sees std::string overflow where it does not.
target_compile_options(jogak_server PRIVATE $<$<CONFIG:Release>:-O1> -Wno-array-bounds -Wno-restrict
  -Wno-stringop-overflow)
if(JOGAK_UNITY)
  set_target_properties(jogak_server PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/server/http.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)  # Boost.Beast is in this file alone
endif()
# The thread sanitizer does not see fences; what Asio hands over is guarded by its locks as well.
if(JOGAK_SANITIZE MATCHES thread)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/server/http.cpp PROPERTIES
    COMPILE_DEFINITIONS BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()
jogak_check_includes(jogak_server server)

set(page_modules /usr/share/nodejs)
find_program(ESBUILD esbuild)
if(NOT ESBUILD OR NOT EXISTS ${page_modules}/d3-scale OR NOT EXISTS ${page_modules}/d3-shape)
  message(WARNING "Without the page: esbuild, d3-scale or d3-shape is missing "
    "(Debian: esbuild, node-d3-scale, node-d3-shape). `jogak serve` will have its API alone.")
  return()
endif()
set(page ${CMAKE_BINARY_DIR}/web)
set(page_files ${page}/index.html ${page}/page.js ${page}/page.css ${page}/icon.svg)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*)
add_custom_command(OUTPUT ${page_files}
  COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${page_modules}
    ${CMAKE_SOURCE_DIR}/scripts/build-page.sh ${CMAKE_SOURCE_DIR}/web ${page}
  DEPENDS ${page_sources} ${CMAKE_SOURCE_DIR}/scripts/build-page.sh
  COMMENT "Building the page" VERBATIM)
add_custom_target(page DEPENDS ${page_files})
add_dependencies(jogak_server page)
set_source_files_properties(${CMAKE_SOURCE_DIR}/server/page.cpp PROPERTIES
  COMPILE_DEFINITIONS "JOGAK_PAGE_DIR=\"${page}\"" OBJECT_DEPENDS "${page_files}")
