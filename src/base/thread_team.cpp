#include "base/thread_team.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/cpu_features.h"

namespace jogak {
namespace {

thread_local int own_index = 0;
thread_local bool within = false;

// Awake for at most kAwake, which is longer than what lies between the works of one pass. True
// when done() was.
template <class Done>
bool wait_awake(Done done) {
  constexpr auto kAwake = std::chrono::microseconds(50);
  constexpr int kLooks = 64;  // between two looks at the clock
  const auto until = std::chrono::steady_clock::now() + kAwake;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

}  // namespace

int ThreadTeam::index() { return own_index; }
bool ThreadTeam::working() { return within; }

ThreadTeam::ThreadTeam() : process_(::getpid()) {}

ThreadTeam::~ThreadTeam() {
  if (::getpid() != process_) {  // a copy of the owner, made by fork(): helpers were not copied
    new std::vector<std::thread>(std::move(threads_));
    return;
  }
  over_ = true;
  state_ += kNumber;
  state_.notify_all();
  for (std::thread& one : threads_) one.join();
}

void ThreadTeam::run(int64_t pieces, int helpers, void* self, Piece piece) {
  helpers = static_cast<int>(std::min<int64_t>(helpers, pieces - 1));
  grow(helpers);
  work_ = {pieces, helpers, self, piece};
  next_.store(0, std::memory_order_relaxed);
  const uint32_t number = (state_.load(std::memory_order_relaxed) / kNumber + 1) * kNumber;
  state_ = number | kOpen;
  if (sleeping_ > 0) state_.notify_all();
  within = true;
  take_pieces();
  within = false;
  wait_for_helpers();
}

// A machine that has no more threads to give computes with those that are there.
void ThreadTeam::grow(int helpers) {
  try {
    while (static_cast<int>(threads_.size()) < helpers)
      threads_.emplace_back(&ThreadTeam::help, this, static_cast<int>(threads_.size()) + 1);
  } catch (const std::system_error&) {
  }
}

void ThreadTeam::help(int index) {
  own_index = index;
  within = true;
  uint32_t last = 0;
  while (begin(last)) {
    if (index <= work_.helpers) take_pieces();
    leave();
  }
}

bool ThreadTeam::begin(uint32_t& last) {
  const auto is_new = [&](uint32_t state) { return state / kNumber != last && (state & kOpen); };
  for (;;) {
    uint32_t now = 0;
    const auto look = [&] {
      now = state_;
      return is_new(now) || over_.load(std::memory_order_relaxed);
    };
    if (!wait_awake(look)) {
      ++sleeping_;
      while (!look()) state_.wait(now);
      --sleeping_;
    }
    if (over_) return false;
    while (is_new(now))
      if (state_.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel)) {
        last = now / kNumber;
        return true;
      }
  }
}

void ThreadTeam::leave() {
  const uint32_t before = state_.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & (kOpen | kWithin)) != 1) return;
  ++left_;
  left_.notify_one();
}

void ThreadTeam::take_pieces() {
  const Work work = work_;
  for (;;) {
    const int64_t p = next_.fetch_add(1, std::memory_order_relaxed);
    if (p >= work.pieces) return;
    work.piece(work.self, p);
  }
}

void ThreadTeam::wait_for_helpers() {
  const auto empty = [&] { return (state_.load(std::memory_order_acquire) & kWithin) == 0; };
  if ((state_.fetch_and(~kOpen, std::memory_order_acq_rel) & kWithin) == 0) return;
  if (wait_awake(empty)) return;
  for (;;) {
    const uint32_t seen = left_;
    if (empty()) return;
    left_.wait(seen);
  }
}

}  // namespace jogak
