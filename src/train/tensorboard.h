// TensorBoard's event files: framed records of protobuf, written by hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jogak {

using Scalars = std::vector<std::pair<std::string, double>>;  // tag and value

class EventFile {
 public:
  // Opens a new file in the directory, which sorts behind those that are there. When the run was
  // resumed, TensorBoard is told to forget what came after `resumed_step` (negative: a new run).
  EventFile(const std::string& directory, int64_t resumed_step);

  void write(int64_t step, const Scalars& scalars);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// One record as it stands in the file: length, masked CRC of the length, data, masked CRC.
std::string framed_record(std::string_view data);

}  // namespace jogak
