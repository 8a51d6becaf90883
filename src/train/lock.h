// One trainer a directory. The lock goes with the process, however it ends.
#pragma once

#include <string>

namespace jogak {

class DirectoryLock {
 public:
  // Error naming the process that holds it.
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace jogak
