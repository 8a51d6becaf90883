// The library of nccl.cpp beside this, as tests see it.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/side_stream.h"

namespace jogak::test {

// While one lives, it is the libnccl.so.2 that is found.
class StandInNccl {
 public:
  StandInNccl()
      : StandInNccl(std::filesystem::read_symlink("/proc/self/exe").parent_path() / "stand_in") {}
  explicit StandInNccl(const std::string& folder) {
    ::setenv("JOGAK_CUDA_LIBS", folder.c_str(), 1);
    library_ = ::dlopen((folder + "/libnccl.so.2").c_str(), RTLD_NOW);
  }
  ~StandInNccl() { ::unsetenv("JOGAK_CUDA_LIBS"); }
  StandInNccl(const StandInNccl&) = delete;
  StandInNccl& operator=(const StandInNccl&) = delete;

  int count(const char* name) const {  // stand_in_aborted, ..
    const auto function = reinterpret_cast<int (*)()>(::dlsym(library_, name));
    ensure<Error>(function != nullptr, name, " is not there");
    return function();
  }

 private:
  void* library_ = nullptr;
};

inline SideStream host_stream() {  // of works that are going on
  const auto works = std::make_shared<std::atomic<int>>(0);
  return {.handle = works.get(), .done = [works] { return *works == 0; }};
}

}  // namespace jogak::test
