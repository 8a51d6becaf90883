#include "train/memory.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "base/file.h"

namespace jogak {
namespace {

constexpr size_t kAny = std::numeric_limits<size_t>::max();

std::string small_file(const std::string& path) {  // empty where there is none
  std::string text;
  try {
    read_file_in_pieces(path, [&](std::string_view piece) { text += piece; });
  } catch (const FileError&) {
  }
  return text;
}

// The number behind a key, such as "VmRSS:     1234 kB"; `none` where there is none.
size_t number_after(const std::string& text, std::string_view key, size_t none) {
  const size_t at = text.find(key);
  if (at == std::string::npos) return none;
  const size_t begin = text.find_first_not_of(" \t", at + key.size());
  if (begin == std::string::npos) return none;
  size_t out = none;
  std::from_chars(text.data() + begin, text.data() + text.size(), out);
  return out;
}

size_t kilobytes(const char* file, std::string_view key, size_t none) {
  const size_t found = number_after(small_file(file), key, none);
  return found == none ? none : found << 10;
}

// What a group of processes leaves; files that were only read make room when it is needed.
size_t left_in_group(const std::string& folder) {
  const size_t most = number_after(small_file(join_path(folder, "memory.max")), "", kAny);
  const size_t used = number_after(small_file(join_path(folder, "memory.current")), "", 0);
  if (most == kAny) return kAny;
  const std::string stat = small_file(join_path(folder, "memory.stat"));
  const size_t files =
      number_after(stat, "\ninactive_file", 0) + number_after(stat, "\nactive_file", 0);
  const size_t taken = used - std::min(used, files);
  return most - std::min(most, taken);
}

size_t left_in_groups() {
  const std::string own = small_file("/proc/self/cgroup");
  const size_t at = own.find("0::/");
  if (at == std::string::npos) return kAny;
  std::string path = own.substr(at + 3, own.find('\n', at) - at - 3);
  size_t out = kAny;
  while (true) {  // every group that this one is in has a say
    out = std::min(out, left_in_group("/sys/fs/cgroup" + path));
    if (path.size() <= 1) return out;
    path.resize(std::max<size_t>(path.rfind('/'), 1));
  }
}

size_t left_of_addresses() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kAny;
  const size_t used = kilobytes("/proc/self/status", "VmSize:", 0);
  return limit.rlim_cur - std::min<size_t>(limit.rlim_cur, used);
}

}  // namespace

size_t resident_bytes() { return kilobytes("/proc/self/status", "VmRSS:", 0); }

size_t peak_resident_bytes() { return kilobytes("/proc/self/status", "VmHWM:", 0); }

size_t free_memory() {
  return std::min(
      {kilobytes("/proc/meminfo", "MemAvailable:", kAny), left_in_groups(), left_of_addresses()});
}

void return_unused_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace jogak
