# The CUDA backend, where nvcc is: *.cu of a folder become part of its library, compiled for Ampere
# and Hopper, with PTX that later GPUs' drivers compile. The runtime is linked in; NVIDIA's other
# libraries are opened when they are needed, so that one program runs with and without a GPU.
set(JOGAK_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (where nvcc is found), ON or OFF")
set(JOGAK_WITH_CUDA OFF)
if(NOT JOGAK_CUDA STREQUAL OFF AND NOT JOGAK_SANITIZE)
  find_program(JOGAK_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(JOGAK_NVCC)
    get_filename_component(cuda_root ${JOGAK_NVCC} REALPATH)
    get_filename_component(cuda_root ${cuda_root}/../.. ABSOLUTE)
    find_library(JOGAK_CUDART libcudart_static.a HINTS ${cuda_root} PATH_SUFFIXES lib64
      targets/x86_64-linux/lib)
    find_path(JOGAK_CUBLAS_HEADERS cublasLt.h HINTS ${cuda_root} PATH_SUFFIXES include
      targets/x86_64-linux/include)
  endif()
  if(JOGAK_NVCC AND JOGAK_CUDART AND JOGAK_CUBLAS_HEADERS)
    set(JOGAK_WITH_CUDA ON)
  elseif(JOGAK_CUDA STREQUAL ON)
    message(FATAL_ERROR "JOGAK_CUDA=ON: nvcc, libcudart_static.a or cublasLt.h was not found")
  endif()
endif()
message(STATUS "CUDA: ${JOGAK_WITH_CUDA} (JOGAK_CUDA=${JOGAK_CUDA})")

set(cuda_flags -std=c++20 --expt-relaxed-constexpr -Xcompiler=-fPIC,-Wall,-Wextra
  -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=[sm_90,compute_90]
  -ccbin ${CMAKE_CXX_COMPILER} -I${CMAKE_SOURCE_DIR}/src -DJOGAK_WITH_CUDA
  $<IF:$<CONFIG:Debug>,-O1,-O3>)
if(JOGAK_WERROR)
  list(APPEND cuda_flags -Werror all-warnings)
endif()

# jogak_cuda(folder): its kernels, and the definition that opens the way to them.
function(jogak_cuda folder)
  if(NOT JOGAK_WITH_CUDA)
    return()
  endif()
  target_compile_definitions(jogak_${folder} PRIVATE JOGAK_WITH_CUDA)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cu)
  foreach(kernel ${kernels})
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR}/src ${kernel})
    set(object ${CMAKE_BINARY_DIR}/cuda/${name}.o)
    get_filename_component(place ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${place})
    add_custom_command(OUTPUT ${object}
      COMMAND ${CCACHE} ${JOGAK_NVCC} ${cuda_flags} -MD -MF ${object}.d -c ${kernel} -o ${object}
      DEPENDS ${kernel} DEPFILE ${object}.d COMMENT "Building CUDA object ${name}" VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(jogak_${folder} PRIVATE ${object})
  endforeach()
endfunction()

jogak_cuda(tensor)
jogak_cuda(ops)
if(JOGAK_WITH_CUDA)
  target_link_libraries(jogak_tensor PRIVATE ${JOGAK_CUDART} Threads::Threads ${CMAKE_DL_LIBS} rt)
endif()
target_link_libraries(jogak_ops PRIVATE ${CMAKE_DL_LIBS})
