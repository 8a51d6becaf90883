// Exchanges that go on while the caller computes: one after the other, in a thread of their own.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "group/group.h"

namespace jogak {

// While one lives nobody else uses the group. All processes begin the same exchanges in the same
// order.
class BackgroundExchange {
 public:
  explicit BackgroundExchange(ProcessGroup& group) : group_(group) {}
  ~BackgroundExchange();  // does what was begun
  BackgroundExchange(const BackgroundExchange&) = delete;
  BackgroundExchange& operator=(const BackgroundExchange&) = delete;

  // What is sent stays as it is, and what is received is not looked at, until wait() has returned.
  // Throws what an earlier exchange threw; those behind it are not done.
  using Exchange = std::function<void(ProcessGroup&)>;
  void begin(Exchange exchange);
  void wait();  // for all of them

 private:
  void run();
  void end();

  ProcessGroup& group_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Exchange> waiting_;
  bool busy_ = false, ends_ = false;
  std::exception_ptr error_;
  std::thread thread_;  // from the first exchange on
};

}  // namespace jogak
