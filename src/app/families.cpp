// The table of families.
#include "app/model.h"
#include "models/gpt2.h"
#include "ops/cross_entropy.h"
#include "ops/linear_cross_entropy.h"

namespace jogak {
namespace {

Json complete_gpt2(const Json& config, const std::string& file) {
  return write_gpt2_config(read_gpt2_config(config, file));
}

Model build_gpt2(const Json& config, const std::string& file, ParamStore store) {
  const Gpt2Config c = read_gpt2_config(config, file);
  Model model;
  model.model_type = "gpt2";
  model.config = config;
  model.names = kGpt2Names;
  model.store = std::make_unique<ParamStore>(std::move(store));
  const auto gpt2 = std::make_shared<const Gpt2>(Params(*model.store), c);
  model.store->finish();
  model.layers = c.layers;
  model.causal = {.forward = [gpt2](const Tensor& ids, Run& run) { return (*gpt2)(ids, run); },
                  .cache = gpt2->cache_shape(),
                  .vocab = c.vocab};
  model.loss_sum = [gpt2](const Tensor& ids, const Tensor& targets, Run& run) {
    return linear_cross_entropy(gpt2->hidden(ids, run), gpt2->lm_head.dense, targets,
                                {.reduction = Reduction::sum});
  };
  return model;
}

std::vector<Json::Member> gpt2_size(int layers, int heads, int width, int context) {
  return {{"n_layer", layers}, {"n_head", heads}, {"n_embd", width}, {"n_positions", context}};
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> table = {
      {.name = "gpt2",
       .model_type = "gpt2",
       .presets = {{"tiny", gpt2_size(2, 2, 64, 128)},
                   {"small", gpt2_size(4, 4, 128, 256)},
                   {"base", gpt2_size(12, 12, 768, 1024)}},
       .complete = complete_gpt2,
       .build = build_gpt2,
       .names = &kGpt2Names},
  };
  return table;
}

}  // namespace jogak
