// libjogak_mpi.so: built where an MPI is installed, and opened by jogak when mpirun started it.
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "group/mpi_plugin.h"

namespace {

constexpr long kMost = 1L << 30;  // bytes of one message: MPI counts them in an int
constexpr int kTag = 1;

std::vector<MPI_Request>& begun() {
  static std::vector<MPI_Request> all;
  return all;
}

int start(int* index, int* count) {
  int given = 0;
  // A step's gradients travel in a thread of their own; only one thread calls at a time.
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS ||
      given < MPI_THREAD_SERIALIZED)
    return 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return MPI_Comm_rank(MPI_COMM_WORLD, index) != MPI_SUCCESS ||
         MPI_Comm_size(MPI_COMM_WORLD, count) != MPI_SUCCESS;
}

int from_first(void* bytes, int size) {
  return MPI_Bcast(bytes, size, MPI_BYTE, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
}

int send_bytes(int to, const void* bytes, long size) {
  const char* at = static_cast<const char*>(bytes);
  for (; size > 0; at += kMost, size -= kMost) {
    const int result = MPI_Isend(at, static_cast<int>(std::min(size, kMost)), MPI_BYTE, to, kTag,
                                 MPI_COMM_WORLD, &begun().emplace_back());
    if (result != MPI_SUCCESS) return 1;
  }
  return 0;
}

int receive_bytes(int from, void* bytes, long size) {
  char* at = static_cast<char*>(bytes);
  for (; size > 0; at += kMost, size -= kMost) {
    const int result = MPI_Irecv(at, static_cast<int>(std::min(size, kMost)), MPI_BYTE, from, kTag,
                                 MPI_COMM_WORLD, &begun().emplace_back());
    if (result != MPI_SUCCESS) return 1;
  }
  return 0;
}

int poll_all(int* done) {
  const int result = MPI_Testall(static_cast<int>(begun().size()), begun().data(), done,
                                 MPI_STATUSES_IGNORE);
  if (result == MPI_SUCCESS && *done) begun().clear();
  return result != MPI_SUCCESS;
}

int finish() { return MPI_Finalize() != MPI_SUCCESS; }

}  // namespace

extern "C" const JogakMpi* jogak_mpi() {
  static const JogakMpi table = {JOGAK_MPI_VERSION, start,    from_first, send_bytes,
                                 receive_bytes,     poll_all, finish};
  return &table;
}
