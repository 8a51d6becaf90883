// A safetensors file of any bytes: refused with one line, or its tensors tile the data and every
// byte of them can be read, mapped and copied.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "fuzz/check.h"
#include "io/safetensors.h"

namespace {

using namespace jogak;

struct MemoryFile {
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  std::string path = "/proc/self/fd/" + std::to_string(fd);

  void fill(const uint8_t* data, size_t size) const {
    fuzz::require(ftruncate(fd, static_cast<off_t>(size)) == 0);
    fuzz::require(pwrite(fd, data, size, 0) == static_cast<ssize_t>(size));
  }
};

std::span<const uint8_t> bytes_of(const Tensor& values) {
  return {static_cast<const uint8_t*>(values.raw()), values.bytes()};
}

void check_tensors(const SafetensorsFile& file, std::span<const uint8_t> whole) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const std::string& name : file.names()) {
    const TensorInfo& info = file.info(name);
    fuzz::require(info.begin <= info.end && info.end <= whole.size());
    if (info.bytes() > 0) ranges.emplace_back(info.begin, info.end);
    if (!info.type->dtype) continue;
    try {
      const Tensor mapped = file.get(name), copied = file.read(name);
      const auto wanted = whole.subspan(info.begin, info.bytes());
      fuzz::require(std::ranges::equal(bytes_of(mapped), wanted));
      fuzz::require(std::ranges::equal(bytes_of(copied), wanted));
    } catch (const FormatError& error) {  // a BOOL that is neither 0 nor 1
      fuzz::check_error(error);
    }
  }
  std::ranges::sort(ranges);
  for (size_t i = 1; i < ranges.size(); ++i) fuzz::require(ranges[i - 1].second == ranges[i].first);
  fuzz::require(ranges.empty() || ranges.back().second == whole.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const MemoryFile memory;
  memory.fill(data, size);
  try {
    check_tensors(SafetensorsFile(memory.path), {data, size});
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
  return 0;
}
