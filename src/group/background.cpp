#include "group/background.h"

#include <utility>

namespace jogak {

BackgroundExchange::~BackgroundExchange() { end(); }

void BackgroundExchange::begin(Exchange exchange) {
  const std::scoped_lock lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  waiting_.push_back(std::move(exchange));
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
}

void BackgroundExchange::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return error_ || (waiting_.empty() && !busy_); });
  if (error_) std::rethrow_exception(error_);
}

void BackgroundExchange::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty() || error_) return;
    const Exchange next = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      next(group_);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    if (thrown) error_ = thrown, waiting_.clear();
    changed_.notify_all();
    if (thrown) return;
  }
}

void BackgroundExchange::end() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace jogak
