#include "nn/recompute.h"

#include "autograd/recompute.h"

namespace jogak {

Tensor recomputed(LayerRun here, std::span<const Tensor> inputs, BlockCall block) {
  const bool watched = here.watched() && !here->probe->repeatable();
  if (!here->recompute || watched) return block(inputs, here);
  Run then = *here;  // as it is before the block: the streams of dropout count on from here
  then.again = true;
  return recompute(
      "block", inputs,
      [here, then, block = std::move(block)](std::span<const Tensor> again_in, bool again) mutable {
        LayerRun place = here;
        if (again) place.run = &then;
        return block(again_in, place);
      });
}

}  // namespace jogak
