#include "group/group.h"

#include <vector>

namespace jogak {

void ProcessGroup::exchange_on_gpus(std::span<const Outgoing>, std::span<const Incoming>) {
  fail<DeviceError>("these processes exchange nothing between GPUs");
}

void ProcessGroup::share(std::span<const std::span<std::byte>> parts) {
  const auto [index, count] = processes();
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  const std::span<std::byte> own = parts[static_cast<size_t>(index)];
  for (int64_t other = 0; other < count; ++other) {
    if (other == index) continue;
    if (!own.empty()) out.push_back({other, own});
    const std::span<std::byte> theirs = parts[static_cast<size_t>(other)];
    if (!theirs.empty()) in.push_back({other, theirs});
  }
  exchange(out, in);
}

std::string ProcessGroup::text_from(int64_t process, std::string_view text) {
  std::vector<std::span<std::byte>> parts(static_cast<size_t>(processes().count));
  uint64_t size = text.size();
  parts[static_cast<size_t>(process)] = bytes_of(std::span(&size, 1));
  share(parts);
  std::string out(text);
  out.resize(size);
  parts[static_cast<size_t>(process)] = bytes_of(std::span(out.data(), out.size()));
  share(parts);
  return out;
}

int64_t ProcessGroup::sum(int64_t value) {
  const auto [index, count] = processes();
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::vector<std::span<std::byte>> parts;
  for (int64_t& one : values) parts.push_back(bytes_of(std::span(&one, 1)));
  values[static_cast<size_t>(index)] = value;
  share(parts);
  uint64_t total = 0;  // wraps, where bits of a double are passed on
  for (const int64_t one : values) total += static_cast<uint64_t>(one);
  return static_cast<int64_t>(total);
}

}  // namespace jogak
