#include "nn/run.h"

namespace jogak {

LayerRun Run::layer(int64_t index) {
  ensure<Stopped>(!stop || !stop->load(std::memory_order_relaxed), "stopped at layer ", index);
  return {this, index};
}

}  // namespace jogak
