# The CUDA backend, where nvcc is: *.cu of a folder become part of its library, compiled for Ampere
# and Hopper, with PTX that later GPUs' drivers compile. The runtime is linked in; NVIDIA's other
# libraries are opened when they are needed, so that one program runs with and without a GPU.
set(JOGAK_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (where nvcc is found), ON or OFF")
set(JOGAK_CUDA_ARCHITECTURES "80;90" CACHE STRING "Compute capabilities; the last also as PTX")
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
  -ccbin ${CMAKE_CXX_COMPILER} -I${CMAKE_SOURCE_DIR}/src -DJOGAK_WITH_CUDA
  $<IF:$<CONFIG:Debug>,-O1,-O3>)
foreach(arch ${JOGAK_CUDA_ARCHITECTURES})
  list(APPEND cuda_flags -gencode=arch=compute_${arch},code=sm_${arch})
endforeach()
list(GET JOGAK_CUDA_ARCHITECTURES -1 arch)
list(APPEND cuda_flags -gencode=arch=compute_${arch},code=compute_${arch})
if(JOGAK_WERROR)
  list(APPEND cuda_flags -Werror all-warnings)
endif()

# Attention by cuDNN where its header-only frontend is (pip install nvidia-cudnn-frontend), and our
# own kernels elsewhere.
set(cudnn_attention ${CMAKE_SOURCE_DIR}/src/ops/kernels/attention_cudnn.cpp)
set(JOGAK_WITH_CUDNN OFF)
if(JOGAK_WITH_CUDA)
  find_path(JOGAK_CUDNN_FRONTEND cudnn_frontend.h HINTS ENV CUDNN_FRONTEND_PATH ${cuda_root}
    PATH_SUFFIXES include)
  find_path(JOGAK_CUDNN_HEADERS cudnn_graph.h HINTS ${cuda_root} PATH_SUFFIXES include)
  if(JOGAK_CUDNN_FRONTEND AND JOGAK_CUDNN_HEADERS)
    set(JOGAK_WITH_CUDNN ON)
  endif()
endif()
message(STATUS "cuDNN attention: ${JOGAK_WITH_CUDNN}")
if(JOGAK_WITH_CUDNN)
  list(APPEND cuda_flags -DJOGAK_WITH_CUDNN)
  set_source_files_properties(${cudnn_attention} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_DEFINITIONS "JOGAK_WITH_CUDNN;NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING"
    COMPILE_OPTIONS "-w;-O1;-isystem;${JOGAK_CUDNN_FRONTEND};-isystem;${JOGAK_CUDNN_HEADERS};-isystem;${JOGAK_CUBLAS_HEADERS}")
else()
  set_source_files_properties(${cudnn_attention} PROPERTIES HEADER_FILE_ONLY ON)
endif()

# The exact GELU within a product where CUTLASS' headers are (pip install nvidia-cutlass), for Hopper
# and its own instructions; elsewhere product and GELU are two kernels.
set(gelu_product ${CMAKE_SOURCE_DIR}/src/ops/kernels/gemm_gelu_cuda.cu)
set(JOGAK_WITH_CUTLASS OFF)
if(JOGAK_WITH_CUDA AND "90" IN_LIST JOGAK_CUDA_ARCHITECTURES)
  find_path(JOGAK_CUTLASS cutlass/cutlass.h HINTS ENV CUTLASS_PATH
    PATH_SUFFIXES include cutlass_library/source/include)
  if(JOGAK_CUTLASS)
    set(JOGAK_WITH_CUTLASS ON)
    list(APPEND cuda_flags -DJOGAK_WITH_CUTLASS)
  endif()
endif()
message(STATUS "CUTLASS' products: ${JOGAK_WITH_CUTLASS}")
set(gelu_flags ${cuda_flags})
list(FILTER gelu_flags EXCLUDE REGEX "-gencode|-Werror|all-warnings|-Wall")
list(APPEND gelu_flags -gencode=arch=compute_90a,code=sm_90a -w -DNDEBUG -isystem ${JOGAK_CUTLASS}
  -Xcompiler=-fPIC)

# jogak_cuda(folder): its kernels, and the definition that opens the way to them.
function(jogak_cuda folder)
  if(NOT JOGAK_WITH_CUDA)
    return()
  endif()
  target_compile_definitions(jogak_${folder} PRIVATE JOGAK_WITH_CUDA)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cu)
  if(NOT JOGAK_WITH_CUTLASS)
    list(REMOVE_ITEM kernels ${gelu_product})
  endif()
  foreach(kernel ${kernels})
    set(flags ${cuda_flags})
    if(kernel STREQUAL gelu_product)
      set(flags ${gelu_flags})
    endif()
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR}/src ${kernel})
    set(object ${CMAKE_BINARY_DIR}/cuda/${name}.o)
    get_filename_component(place ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${place})
    add_custom_command(OUTPUT ${object}
      COMMAND ${CCACHE} ${JOGAK_NVCC} ${flags} -MD -MF ${object}.d -c ${kernel} -o ${object}
      DEPENDS ${kernel} DEPFILE ${object}.d COMMENT "Building CUDA object ${name}" VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    target_sources(jogak_${folder} PRIVATE ${object})
    set_property(GLOBAL APPEND PROPERTY JOGAK_CUDA_OBJECTS ${object})
  endforeach()
endfunction()

jogak_cuda(tensor)
jogak_cuda(ops)
get_property(cuda_objects GLOBAL PROPERTY JOGAK_CUDA_OBJECTS)
add_custom_target(cuda_kernels DEPENDS ${cuda_objects})  # by themselves: that they compile
if(JOGAK_WITH_CUDA)
  target_link_libraries(jogak_tensor PRIVATE ${JOGAK_CUDART} Threads::Threads ${CMAKE_DL_LIBS} rt)
endif()
target_link_libraries(jogak_ops PRIVATE ${CMAKE_DL_LIBS})
