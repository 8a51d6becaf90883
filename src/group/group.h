// Processes that do one work together, on one machine or several, and the bytes they exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/processes.h"

namespace jogak {

struct Outgoing {
  int64_t to = 0;
  std::span<const std::byte> bytes;
};
struct Incoming {
  int64_t from = 0;
  std::span<std::byte> bytes;
};

// Each process holds one of these. All call the same functions in the same order. Where one of
// them is gone, is silent or was cut off, the others throw ProcessLost within ten seconds.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual Processes processes() const = 0;
  virtual int64_t on_this_machine() const { return processes().count; }  // this one included

  // Returns when everything has arrived and what was sent may change. Between two processes the
  // bytes keep their order; nobody sends to itself.
  virtual void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;

  // The same for bytes in the memory of GPUs, where the group reaches those: what the GPU was to do
  // with them is done.
  virtual bool reaches_gpus() const { return false; }
  virtual void exchange_on_gpus(std::span<const Outgoing> out, std::span<const Incoming> in);

  virtual void check() {}  // throws, as an exchange would, where one of them is known to be gone

  // Process i has filled parts[i]; afterwards every process has all of them.
  void share(std::span<const std::span<std::byte>> parts);
  std::string text_from(int64_t process, std::string_view text);  // what that one gave
  int64_t sum(int64_t value);
};

class SoloGroup final : public ProcessGroup {  // one process: everything is there already
 public:
  Processes processes() const override { return {}; }
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) override {}
};

template <class T>
std::span<std::byte> bytes_of(std::span<T> values) {
  return std::as_writable_bytes(values);
}

}  // namespace jogak
