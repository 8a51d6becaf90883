// Another process on this machine whose memory the system lets this one read: its bytes come in one
// copy, and past the network.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace jogak {

struct MemoryPiece {  // where a process has it
  uint64_t address = 0, bytes = 0;
};

// A few bytes of this process that nobody can guess: who reads them at their address in a process
// of that number reads this very process, and not one of another machine or container.
struct Sign {
  uint64_t words[2] = {};
  static const Sign& own();
};

bool can_read(pid_t process, uint64_t sign_at, const Sign& expected);
void let_others_read();  // those of the same user, where the system asks for consent

// What is still to be read, and where it goes; both are as long.
struct Reading {
  std::vector<MemoryPiece> from;
  std::vector<std::span<std::byte>> to;
  size_t from_at = 0, to_at = 0;

  bool done() const { return to_at >= to.size(); }
  bool some(pid_t process);  // reads a stretch; false: the process is gone
};

}  // namespace jogak
