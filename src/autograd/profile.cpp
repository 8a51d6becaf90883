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

void OpProfile::mark() {
  device_.synchronize();
  mark_ = std::chrono::steady_clock::now();
}

double OpProfile::since_mark() {
  device_.synchronize();
  const auto now = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(now - std::exchange(mark_, now)).count();
}

void OpProfile::forward(const char* op) {
  OpTime& time = times_[op];
  time.forward += since_mark();
  ++time.calls;
}

void OpProfile::backward(const char* op) { times_[op].backward += since_mark(); }

}  // namespace jogak
