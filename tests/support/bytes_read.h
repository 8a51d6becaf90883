// How much a test's process has read, where the kernel counts it.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace jogak::test {

inline int64_t bytes_read() {  // so far; -1: not counted
  std::ifstream io("/proc/self/io");
  std::string key;
  int64_t value = 0;
  io >> key >> value;  // rchar
  return key == "rchar:" ? value : -1;
}

}  // namespace jogak::test
