// Threads that help the one that owns them with pieces of work. Between two works they stay awake
// for microseconds and then sleep; those that have not begun when a work is done are not waited
// for, so that a busy machine's processors are lost to nobody.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace jogak {

class ThreadTeam {
 public:
  using Piece = void (*)(void* self, int64_t piece);  // throws nothing

  ThreadTeam();
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Calls piece(self, p) once for every p in [0, pieces): here and in at most `helpers` threads.
  void run(int64_t pieces, int helpers, void* self, Piece piece);

  // Of the calling thread: 0, or which helper it is of whom it helps.
  static int index();
  // Whether the calling thread is within a piece.
  static bool working();

 private:
  struct Work {
    int64_t pieces = 0;
    int helpers = 0;
    void* self = nullptr;
    Piece piece = nullptr;
  };
  void grow(int helpers);
  void help(int index);
  bool begin(uint32_t& last);  // waits for the work after `last`; false: there will be none
  void leave();
  void take_pieces();
  void wait_for_helpers();

  // The number of the work, whether helpers may begin, and how many are within: work_ changes only
  // while it is closed and nobody is within.
  static constexpr uint32_t kOpen = 1U << 15, kWithin = kOpen - 1, kNumber = 1U << 16;
  alignas(64) std::atomic<uint32_t> state_{0};
  alignas(64) std::atomic<int64_t> next_{0};   // piece
  alignas(64) std::atomic<uint32_t> left_{0};  // counts the last to leave closed works
  std::atomic<int> sleeping_{0};
  std::atomic<bool> over_{false};
  const int process_;
  Work work_;
  std::vector<std::thread> threads_;
};

}  // namespace jogak
