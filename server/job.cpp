#include "server/job.h"

#include "base/error.h"

namespace jogak::server {
namespace {

struct NoWork final : Work {
  const std::atomic<bool>& stop() const override { return never; }
  void send(std::string_view) override {}
  std::shared_ptr<Work> keep() override { fail<Error>("a quick route answers at once"); }
  void finish(Reply) override {}
  std::atomic<bool> never{false};
};

Reply answer_of(const Route& route, const Request& request, Work& work) {
  try {
    ensure<Stopped>(!work.stop().load(), "the client has left");
    return route.handle(request, work);
  } catch (...) {
    return reply_to_exception(request.lang);
  }
}

}  // namespace

void Job::send(std::string_view piece) {
  ensure<Stopped>(!stopped_.load(), "the client has left");
  {
    const std::lock_guard lock(mutex_);
    ensure<Stopped>(said_.pieces.size() + piece.size() <= kMostPending, "the client does not read");
    said_.streams = true;
    said_.pieces += piece;
  }
  tell();
}

void Job::tell() {
  const std::lock_guard lock(telling_);
  if (changed_) changed_();
}

void Job::forget() {
  give_up();
  const std::lock_guard lock(telling_);
  changed_ = nullptr;
}

void Job::run(const Route& route, const Request& request) {
  Reply reply = answer_of(route, request, *this);
  if (!reply.later) finish(std::move(reply));
}

void Job::finish(Reply reply) {
  {
    const std::lock_guard lock(mutex_);
    if (said_.streams && reply.status != 200) said_.pieces += "data: " + reply.body + "\n";
    said_.reply = std::move(reply);
    said_.done = true;
  }
  tell();
}

bool Job::has_said() const {
  const std::lock_guard lock(mutex_);
  return said_.done || !said_.pieces.empty();
}

Job::Said Job::take() {
  const std::lock_guard lock(mutex_);
  Said out = std::move(said_);
  said_ = {.streams = out.streams, .done = out.done};
  return out;
}

Reply answer_at_once(const Route& route, const Request& request) {
  NoWork none;
  return answer_of(route, request, none);
}

}  // namespace jogak::server
