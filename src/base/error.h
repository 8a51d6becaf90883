// Errors say what was found and what was wanted. The library throws these and never exits.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace jogak {

// Streams its parts into one string: text_of("rows ", 3, " of ", shape).
template <class... Parts>
std::string text_of(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class UsageError : public Error {  // a wrong flag or value given by the user
 public:
  using Error::Error;
};

class ShapeError : public Error {  // tensors that do not fit together
 public:
  using Error::Error;
};

class DeviceError : public Error {  // out of memory, a device that is not there
 public:
  using Error::Error;
};

class GradError : public Error {  // a gradient that cannot be computed
 public:
  using Error::Error;
};

class Stopped : public Error {  // the user asked the run to stop
 public:
  using Error::Error;
};

// Everything that concerns a file names the file first: "FILE: byte 12: found, wanted".
class FileError : public Error {
 public:
  using Error::Error;
};

class FormatError : public FileError {  // the bytes are not what they should be
 public:
  using FileError::FileError;
};

class MissingError : public FileError {  // no such file, tensor or column
 public:
  using FileError::FileError;
};

class IoError : public FileError {  // reading or writing failed: disk full, no permission
 public:
  using FileError::FileError;
};

template <class E = Error, class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw E(text_of(parts...));
}

// Checked in every build; the parts are only put together when the condition fails.
template <class E = Error, class... Parts>
void ensure(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail<E>(parts...);
}

}  // namespace jogak
