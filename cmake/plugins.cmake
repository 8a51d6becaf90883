# libjogak_mpi.so, where an MPI is installed (Debian: libopenmpi-dev). The program opens it when
# mpirun started it, and needs neither to be built nor to run alone.
find_package(MPI QUIET COMPONENTS CXX)
option(JOGAK_MPI "Build the plugin for MPI (by default where one is installed)" ${MPI_CXX_FOUND})
if(JOGAK_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
  add_library(jogak_mpi MODULE ${CMAKE_SOURCE_DIR}/plugins/mpi.cpp)
  target_include_directories(jogak_mpi PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(jogak_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(jogak_mpi PRIVATE MPI::MPI_CXX jogak_flags)
  set_target_properties(jogak_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()
