#include "group/neighbour.h"

#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace jogak {
namespace {

constexpr size_t kPieces = 256;               // of a system call
constexpr size_t kStretch = size_t{1} << 26;  // bytes of one: milliseconds, then others get a look

}  // namespace

const Sign& Sign::own() {
  static const Sign sign = [] {
    Sign out;
    ensure<IoError>(::getrandom(&out, sizeof out, 0) == sizeof out, "no random numbers");
    return out;
  }();
  return sign;
}

bool can_read(pid_t process, uint64_t sign_at, const Sign& expected) {
  Reading reading;
  Sign found;
  reading.from.push_back({sign_at, sizeof found});
  reading.to.push_back(std::as_writable_bytes(std::span(&found, 1)));
  while (!reading.done())
    if (!reading.some(process)) return false;
  return std::memcmp(&found, &expected, sizeof found) == 0;
}

void let_others_read() {
#ifdef PR_SET_PTRACER
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
#endif
}

bool Reading::some(pid_t process) {
  iovec theirs[kPieces], ours[kPieces];
  size_t count = 0, own_count = 0, bytes = 0;
  for (size_t i = from_at; i < from.size() && count < kPieces && bytes < kStretch; ++i, ++count) {
    const size_t size = std::min<size_t>(from[i].bytes, kStretch - bytes);
    theirs[count] = {reinterpret_cast<void*>(from[i].address), size};
    bytes += size;
  }
  for (size_t i = to_at; i < to.size() && own_count < kPieces; ++i, ++own_count)
    ours[own_count] = {to[i].data(), to[i].size()};
  const ssize_t got = ::process_vm_readv(process, ours, own_count, theirs, count, 0);
  if (got <= 0) return false;
  auto left = static_cast<size_t>(got);
  while (left > 0) {
    const size_t here =
        std::min({left, to[to_at].size(), static_cast<size_t>(from[from_at].bytes)});
    to[to_at] = to[to_at].subspan(here);
    from[from_at].address += here, from[from_at].bytes -= here;
    if (to[to_at].empty()) ++to_at;
    if (from[from_at].bytes == 0) ++from_at;
    left -= here;
  }
  return true;
}

}  // namespace jogak
