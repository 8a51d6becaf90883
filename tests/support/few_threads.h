// Two threads for as long as it lives: what each thread needs for itself is not what is measured.
#pragma once

#include "base/parallel.h"

namespace jogak::test {

class FewThreads {
 public:
  FewThreads() { set_thread_count(2); }
  ~FewThreads() { set_thread_count(before_); }
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;

 private:
  int before_ = thread_count();
};

}  // namespace jogak::test
