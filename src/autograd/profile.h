// Where the time of a training step goes, op by op. Costs nothing while none is alive.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tensor/device.h"

namespace jogak {

struct OpTime {
  double forward = 0, backward = 0;  // seconds
  int64_t calls = 0;
};

// While one lives, this thread's ops are timed. An op is sent to its device at once and recorded
// when it was, so what passes there since the mark before it is its own: its kernels, and the
// device's wait for them where the host is slower.
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
  // What a forward op had to do: multiplications and additions, bytes of weights it read.
  void work(double flops, double weight_bytes) { flops_ += flops, weight_bytes_ += weight_bytes; }

  const std::map<std::string, OpTime>& times();  // so far; waits for the device
  double products() const { return products_; }
  double flops() const { return flops_; }
  double weight_bytes() const { return weight_bytes_; }

 private:
  struct Mark {
    std::unique_ptr<Event> event;
    double* time;  // of what came before it; null: nobody's
  };
  void mark(double* time);
  void count();

  Device& device_;
  OpProfile* before_;
  std::vector<Mark> marks_;  // not counted yet, but for the first
  std::map<std::string, OpTime> times_;
  double products_ = 0, flops_ = 0, weight_bytes_ = 0;
};

OpProfile* active_profile();  // null: nobody is measuring

inline void count_work(double flops, double weight_bytes = 0) {
  if (OpProfile* const profile = active_profile()) profile->work(flops, weight_bytes);
}

}  // namespace jogak
