// Things a server keeps for a while under a name: inputs that were dropped on the page, passes of a
// model. The longest unused go when there are too many bytes of them.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace jogak {

template <class T>
class Kept {
 public:
  explicit Kept(size_t most_bytes, size_t most_things = 64)
      : most_bytes_(most_bytes), most_things_(most_things) {}

  std::shared_ptr<const T> find(const std::string& id) {  // null: not (any more) there
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const One& one) { return one.id == id; });
    if (found == all_.end()) return nullptr;
    std::rotate(found, found + 1, all_.end());
    return all_.back().thing;
  }

  // The newest stays however large it is.
  void add(const std::string& id, std::shared_ptr<const T> thing, size_t bytes) {
    const std::lock_guard lock(mutex_);
    all_.erase(
        std::remove_if(all_.begin(), all_.end(), [&](const One& one) { return one.id == id; }),
        all_.end());
    all_.push_back({id, std::move(thing), bytes});
    size_t sum = 0;
    for (const One& one : all_) sum += one.bytes;
    while (all_.size() > 1 && (sum > most_bytes_ || all_.size() > most_things_)) {
      sum -= all_.front().bytes;
      all_.pop_front();
    }
  }

 private:
  struct One {
    std::string id;
    std::shared_ptr<const T> thing;
    size_t bytes;
  };
  const size_t most_bytes_, most_things_;
  std::mutex mutex_;
  std::deque<One> all_;  // the last used last
};

}  // namespace jogak
