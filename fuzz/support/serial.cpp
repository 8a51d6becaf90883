// base/parallel with one thread, which fuzzing has for each target.
#include "base/parallel.h"

namespace jogak {

int thread_count() { return 1; }
void set_thread_count(int) {}
int thread_index() { return 0; }

void detail::run_parallel(int64_t count, int64_t grain, void* self, RangeFn call) {
  for (int64_t begin = 0; begin < count; begin += grain)
    call(self, begin, begin + grain < count ? begin + grain : count);
}

}  // namespace jogak
