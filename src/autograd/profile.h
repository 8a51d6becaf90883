// Where the time of a training step goes, op by op. Costs nothing while none is alive.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "tensor/device.h"

namespace jogak {

struct OpTime {
  double forward = 0, backward = 0;  // seconds
  int64_t calls = 0;
};

// While one lives, this thread's ops are timed. An op runs at once and is recorded when it is done,
// so the time since the mark before it is its own. On a device with a queue of its own every mark
// waits for it: ops then take their own time, and do not overlap with the host's.
class OpProfile {
 public:
  explicit OpProfile(Device& device = cpu_device());
  ~OpProfile();
  OpProfile(const OpProfile&) = delete;
  OpProfile& operator=(const OpProfile&) = delete;

  void mark();                    // what follows belongs to the next op
  void forward(const char* op);   // since the last mark; marks
  void backward(const char* op);  // the same

  void product(double seconds) { products_ += seconds; }  // matrix products, within their ops

  const std::map<std::string, OpTime>& times() const { return times_; }
  double products() const { return products_; }

 private:
  double since_mark();

  Device& device_;
  OpProfile* before_;
  std::chrono::steady_clock::time_point mark_;
  std::map<std::string, OpTime> times_;
  double products_ = 0;
};

OpProfile* active_profile();  // null: nobody is measuring

}  // namespace jogak
