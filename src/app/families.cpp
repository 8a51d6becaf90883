// The table of families.
#include "app/model.h"
#include "models/gpt2.h"
#include "models/marian.h"
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
  model.layers = c.layers, model.width = c.width;
  model.vocab = c.vocab, model.context = c.context;
  model.causal = {.forward = [gpt2](const Tensor& ids, Run& run) { return (*gpt2)(ids, run); },
                  .cache = gpt2->cache_shape(),
                  .vocab = c.vocab};
  model.loss_sum = [gpt2](const Tensor& ids, const Tensor& targets, Run& run) {
    return linear_cross_entropy(gpt2->hidden(ids, run), gpt2->lm_head.dense, targets,
                                {.reduction = Reduction::sum});
  };
  return model;
}

// A configuration that names no padding has it as the last token, and starts with it.
Json complete_marian(const Json& config, const std::string& file) {
  Json full = config;
  if (!full.find("vocab_size")) full.set("vocab_size", 8000);
  const Json* vocab = full.find("vocab_size");
  if (!full.find("pad_token_id") && vocab->is_integer())
    full.set("pad_token_id", vocab->integer() - 1);
  if (!full.find("decoder_start_token_id") && full.find("pad_token_id"))
    full.set("decoder_start_token_id", Json(*full.find("pad_token_id")));
  return write_marian_config(read_marian_config(full, file));
}

Model build_marian(const Json& config, const std::string& file, ParamStore store) {
  const MarianConfig c = read_marian_config(config, file);
  Model model;
  model.model_type = "marian";
  model.config = config;
  model.names = kMarianNames;
  model.store = std::make_unique<ParamStore>(std::move(store));
  const auto marian = std::make_shared<const Marian>(Params(*model.store), c);
  model.store->finish();
  model.layers = c.encoder.layers + c.decoder.layers, model.width = c.width;
  model.vocab = c.vocab, model.context = c.context;
  model.seq2seq = seq2seq_of(marian);
  return model;
}

// The model of 2017: ReLU, embeddings times sqrt(width), everything tied.
std::vector<Json::Member> marian_size(int layers, int heads, int width, int inner) {
  return {{"encoder_layers", layers},
          {"decoder_layers", layers},
          {"encoder_attention_heads", heads},
          {"decoder_attention_heads", heads},
          {"d_model", width},
          {"encoder_ffn_dim", inner},
          {"decoder_ffn_dim", inner},
          {"activation_function", "relu"},
          {"scale_embedding", true},
          {"max_position_embeddings", 512}};
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
      {.name = "seq2seq",
       .model_type = "marian",
       .presets = {{"tiny", marian_size(2, 2, 64, 256)},
                   {"small", marian_size(4, 4, 128, 512)},
                   {"base", marian_size(6, 8, 512, 2048)},
                   {"big", marian_size(6, 16, 1024, 4096)}},
       .complete = complete_marian,
       .build = build_marian,
       .names = &kMarianNames},
  };
  return table;
}

}  // namespace jogak
