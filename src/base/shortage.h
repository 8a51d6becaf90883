// What is not there now and may be there later: memory, a directory that somebody else uses.
#pragma once

#include "base/error.h"

namespace jogak {

class OutOfMemory : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

class InUse : public FileError {  // by another process
 public:
  using FileError::FileError;
};

}  // namespace jogak
