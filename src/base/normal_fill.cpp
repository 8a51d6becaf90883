#include "base/normal_fill.h"

namespace jogak {

void fill_normal(Rng rng, std::span<float> out) {
  constexpr uint64_t kWords = 4;  // that one number takes
  const size_t done = detail::fill_normal_fast(rng, out);
  rng.seek(rng.position() + done * kWords);
  for (float& number : out.subspan(done)) number = static_cast<float>(rng.normal());
}

#if !defined(__x86_64__)
size_t detail::fill_normal_fast(const Rng&, std::span<float>) { return 0; }
#endif

}  // namespace jogak
