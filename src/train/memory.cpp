#include "train/memory.h"

#include <charconv>

#include "base/file.h"

namespace jogak {
namespace {

// What the first steps of a run add beside tensors, measured: code of the kernels as it is paged
// in, their scratch memory, threads.
constexpr size_t kRuntime = size_t{6} << 20;

// A line of /proc/self/status, such as "VmRSS:     1234 kB"; 0 where there is no such file.
size_t status_bytes(std::string_view key) {
  std::string text;
  try {
    read_file_in_pieces("/proc/self/status", [&](std::string_view piece) { text += piece; });
  } catch (const FileError&) {
    return 0;
  }
  const size_t at = text.find(key);
  if (at == std::string::npos) return 0;
  const size_t begin = text.find_first_of("0123456789", at);
  if (begin == std::string::npos) return 0;
  size_t kilobytes = 0;
  std::from_chars(text.data() + begin, text.data() + text.size(), kilobytes);
  return kilobytes << 10;
}

}  // namespace

size_t resident_bytes() { return status_bytes("VmRSS:"); }

size_t peak_resident_bytes() { return status_bytes("VmHWM:"); }

PredictedPeak predict_peak(const std::function<void(CountingDevice&)>& work) {
  PredictedPeak out;
  const size_t peak_before = peak_resident_bytes();
  CountingDevice device;
  work(device);
  out.tensors = device.peak_held_bytes();
  // What the work took beside tensors, reading data above all, the real run takes as well.
  const size_t peak = peak_resident_bytes();
  out.process = (peak > peak_before ? peak : resident_bytes()) + kRuntime;
  return out;
}

}  // namespace jogak
