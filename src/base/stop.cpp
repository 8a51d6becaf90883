#include "base/stop.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace jogak {
namespace {

struct Things {
  std::mutex mutex;
  int ending = 0;  // how many end by themselves
  std::vector<const std::function<void()>*> removers;
};

Things& unfinished_things() {
  static auto* const kept = new Things;  // never destroyed: a thread may look at it last
  return *kept;
}

}  // namespace

std::atomic<bool>& stop_asked() {
  static std::atomic<bool> asked{false};
  static_assert(std::atomic<bool>::is_always_lock_free);
  return asked;
}

EndsItself::EndsItself() {
  const std::scoped_lock lock(unfinished_things().mutex);
  ++unfinished_things().ending;
}

EndsItself::~EndsItself() {
  const std::scoped_lock lock(unfinished_things().mutex);
  --unfinished_things().ending;
}

bool ends_itself() {
  const std::scoped_lock lock(unfinished_things().mutex);
  return unfinished_things().ending > 0;
}

Unfinished::Unfinished(std::function<void()> remove) : remove_(std::move(remove)) {
  Things& all = unfinished_things();
  const std::scoped_lock lock(all.mutex);
  all.removers.push_back(&remove_);
}

Unfinished::~Unfinished() {
  Things& all = unfinished_things();
  const std::scoped_lock lock(all.mutex);
  std::erase(all.removers, &remove_);
}

bool remove_unfinished() {
  Things& all = unfinished_things();
  all.mutex.lock();
  if (all.ending > 0) {
    all.mutex.unlock();
    return false;
  }
  for (size_t i = all.removers.size(); i-- > 0;) {
    try {
      (*all.removers[i])();
    } catch (...) {  // nobody is left to be told
    }
  }
  return true;  // still locked
}

}  // namespace jogak
