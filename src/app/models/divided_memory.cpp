#include "app/models/divided_memory.h"

#include <algorithm>

#include "app/models/model.h"
#include "tensor/counting_device.h"
#include "text/tokenizer.h"
#include "train/memory.h"

namespace jogak {

int64_t longest_prompt(const std::string& directory, const std::vector<std::string>& prompts) {
  const Tokenizer tokenizer = Tokenizer::load(directory);
  int64_t out = 1;
  for (const std::string& prompt : prompts)
    out = std::max(out, std::ssize(tokenizer.encode(prompt).ids));
  return out;
}

size_t predict_divided(const std::string& directory, const std::string& dtype, int64_t processes,
                       int64_t tokens) {
  // What reading adds beside tensors: code of the kernels, threads, scratch memory of products.
  constexpr size_t kBeside = 6'000'000;
  const size_t resident = resident_bytes();
  CountingDevice device;
  ModelPlace place{.device = &device, .use = weight_use(dtype)};
  if (processes > 1)
    place.split = std::make_shared<const LayerSplit>(
        LayerSplit{.self = {0, processes}, .add = [](const Tensor&) {}});
  {
    const Model model = open_language_model(directory, place);
    Run run;
    model.causal.forward(zeros({1, std::max<int64_t>(tokens, 1)}, DType::i64), run);
  }
  return resident + device.peak_held_bytes() + kBeside;
}

}  // namespace jogak
