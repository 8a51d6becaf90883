#include "train/together.h"

#include <bit>
#include <exception>

#include "base/shortage.h"

namespace jogak {
namespace {

constexpr int64_t kStopped = 1, kFailed = int64_t{1} << 32;  // sums tell how many of each

}  // namespace

double Together::from_first(double value) {
  return std::bit_cast<double>(from_first(std::bit_cast<int64_t>(value)));
}

void Together::in_all(FunctionRef<void()> work) {
  std::exception_ptr own;
  int64_t outcome = 0;
  try {
    work();
  } catch (const ProcessLost&) {
    throw;
  } catch (const Stopped&) {
    own = std::current_exception();
    outcome = kStopped;
  } catch (...) {
    own = std::current_exception();
    outcome = kFailed;
  }
  const int64_t all = group_.sum(outcome);
  if (outcome == kFailed) std::rethrow_exception(own);
  ensure<Error>(all < kFailed, "training: another process failed, its message says why");
  if (own) std::rethrow_exception(own);
  ensure<Stopped>(all == 0, "another process was stopped");
}

void Together::in_first(FunctionRef<void()> work) {
  in_all([&] {
    if (first_) work();
  });
}

}  // namespace jogak
