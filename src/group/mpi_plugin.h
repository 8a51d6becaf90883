/* What libjogak_mpi.so gives: MPI behind plain functions, so that the program needs no MPI to be
 * built or run. Each returns 0 when all went well. */
#pragma once

extern "C" {

struct JogakMpi {
  int version;
  int (*start)(int* index, int* count);
  int (*from_first)(void* bytes, int size);          /* to all */
  int (*send)(int to, const void* bytes, long size); /* begins; poll() ends it */
  int (*receive)(int from, void* bytes, long size);
  int (*poll)(int* done); /* everything that was begun */
  int (*finish)(void);
};

enum { JOGAK_MPI_VERSION = 1 };
typedef const JogakMpi* (*JogakMpiFunction)(void); /* jogak_mpi() */
}
