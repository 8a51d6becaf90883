#include "autograd/profile.h"

#include <utility>

namespace jogak {
namespace {

thread_local OpProfile* active = nullptr;

}  // namespace

OpProfile::OpProfile(Device& device) : device_(device), before_(std::exchange(active, this)) {
  mark();
}
OpProfile::~OpProfile() { active = before_; }

OpProfile* active_profile() { return active; }

void OpProfile::mark() { mark(nullptr); }

void OpProfile::mark(double* time) {
  constexpr size_t kMost = 1 << 14;  // a device has only so many events
  marks_.push_back({device_.record_event(), time});
  if (marks_.size() == kMost) count();
}

void OpProfile::count() {
  marks_.back().event->wait();
  for (size_t i = 1; i < marks_.size(); ++i)
    if (marks_[i].time) *marks_[i].time += marks_[i].event->seconds_since(*marks_[i - 1].event);
  marks_.erase(marks_.begin(), marks_.end() - 1);
}

const std::map<std::string, OpTime>& OpProfile::times() {
  count();
  return times_;
}

void OpProfile::forward(const char* op) {
  OpTime& time = times_[op];
  mark(&time.forward);
  ++time.calls;
}

void OpProfile::backward(const char* op) { mark(&times_[op].backward); }

}  // namespace jogak
