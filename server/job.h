// A request at work in another thread: what it has to say, until the thread that writes takes it.
#pragma once

#include <memory>
#include <mutex>

#include "server/routes.h"

namespace jogak::server {

inline constexpr size_t kMostPending = 4 << 20;  // bytes of a stream that nobody takes

class Job final : public Work, public std::enable_shared_from_this<Job> {
 public:
  // `changed` is called from the working thread when there is something to take.
  explicit Job(std::function<void()> changed) : changed_(std::move(changed)) {}

  const std::atomic<bool>& stop() const override { return stopped_; }
  void send(std::string_view piece) override;

  std::shared_ptr<Work> keep() override { return shared_from_this(); }
  void finish(Reply reply) override;

  void run(const Route& route, const Request& request);  // does not throw
  void give_up() { stopped_ = true; }
  void forget();  // the same, and `changed` is not called any more: whom it told is gone

  struct Said {
    bool streams = false, done = false;
    std::string pieces = {};  // since the last time; an error that came midway is the last of them
    Reply reply = {};         // of a job that is done and streams nothing
  };
  bool has_said() const;
  Said take();

 private:
  void tell();

  std::mutex telling_;  // of changed_
  std::function<void()> changed_;
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;  // of what was said
  Said said_;
};

// What a route answers when nobody has to wait for it: it sends no pieces and is never stopped.
Reply answer_at_once(const Route& route, const Request& request);

}  // namespace jogak::server
