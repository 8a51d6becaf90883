// NCCL's functions, opened at run time. They are declared here, so that neither NCCL nor CUDA has
// to be there to build; tests/group/nccl_test.cpp compares with nccl.h where there is one.
#pragma once

#include <climits>
#include <cstddef>
#include <string>

namespace jogak {

struct Nccl {
  struct Comm;  // a communicator
  struct Id {
    char bytes[128];
  };
  enum Result : int { success = 0, in_progress = 7 };
  enum Type : int { int8 = 0 };
  // As version 2.14 has it; later ones take it, and their own values for what it lacks.
  struct Config {
    size_t size = sizeof(Config);
    unsigned magic = 0xcafebeef, version = 21400;
    int blocking = 0;  // calls return at once, so that nobody waits for a lost process
    int not_there_in_2_14 = INT_MIN;  // "undefined"
  };

  Nccl();  // DeviceError when there is no libnccl.so.2, or one before 2.14

  Result (*version)(int*);
  Result (*new_id)(Id*);
  Result (*init)(Comm**, int count, Id, int index, Config*);
  Result (*state)(Comm*, Result*);
  Result (*begin)();  // of sends and receipts that belong together
  Result (*end)();
  Result (*send)(const void*, size_t count, Type, int to, Comm*, void* stream);
  Result (*receive)(void*, size_t count, Type, int from, Comm*, void* stream);
  Result (*finalize)(Comm*);  // what was sent arrives
  Result (*destroy)(Comm*);
  Result (*abort)(Comm*);
  const char* (*words)(Result);
  const char* (*last_words)(Comm*);  // more about the last failure
  std::string about;                 // "NCCL 2.28.9"
};

}  // namespace jogak
