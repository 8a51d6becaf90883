#include "group/nccl.h"

#include "base/error.h"
#include "base/shared_library.h"

namespace jogak {

Nccl::Nccl() {
  const SharedLibrary library("NCCL", {"libnccl.so.2"});
  library.load(version, "ncclGetVersion");
  int number = 0;  // 22809 is 2.28.9
  ensure<DeviceError>(version(&number) == success && number >= 21400, library.path(),
                      ": NCCL of version ", number, ", wanted 21400 (2.14) or later");
  library.load(new_id, "ncclGetUniqueId");
  library.load(init, "ncclCommInitRankConfig");
  library.load(state, "ncclCommGetAsyncError");
  library.load(begin, "ncclGroupStart");
  library.load(end, "ncclGroupEnd");
  library.load(send, "ncclSend");
  library.load(receive, "ncclRecv");
  library.load(finalize, "ncclCommFinalize");
  library.load(destroy, "ncclCommDestroy");
  library.load(abort, "ncclCommAbort");
  library.load(words, "ncclGetErrorString");
  library.load(last_words, "ncclGetLastError");
  about = text_of("NCCL ", number / 10000, ".", number / 100 % 100, ".", number % 100);
}

}  // namespace jogak
