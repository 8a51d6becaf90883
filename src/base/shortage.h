// What is not there now and may be there later: memory, a directory that somebody else uses,
// a process that took part in the work.
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

class ProcessLost : public Error {  // names it; what was saved is whole
 public:
  using Error::Error;
};

}  // namespace jogak
