// The table of families.
#include "app/models/encoder_families.h"
#include "app/models/model.h"
#include "models/falcon.h"
#include "models/gpt2.h"
#include "models/llama.h"
#include "models/marian.h"
#include "ops/cross_entropy.h"
#include "ops/linear_cross_entropy.h"

namespace jogak {
namespace {

constexpr int64_t kLongestText = 1 << 24;

// A language model: M has config, hidden(), a call for logits, lm_head and cache_shape().
template <class M, class Config>
Model build_decoder(const Json& config, const Config& c, ParamStore store) {
  Model model;
  model.model_type = Fields(config, "config").text("model_type");
  model.config = config;
  model.store = std::make_unique<ParamStore>(std::move(store));
  const auto decoder = std::make_shared<const M>(Params(*model.store), c);
  model.store->finish();
  model.causal = {
      .forward = [decoder](const Tensor& ids, Run& run) { return (*decoder)(ids, run); },
      .cache = decoder->cache_shape(),
      .vocab = c.vocab};
  model.causal.trained = model.causal.cache.context;
  // Rotary positions and ALiBi have no table that ends: as in transformers, texts go on.
  if (M::kEndless) model.causal.cache.context = kLongestText;
  model.read = [decoder](const Tensor& x, Run& run) { return decoder->read(x, run); };
  model.layers = c.layers, model.width = c.width;
  model.vocab = c.vocab, model.context = model.causal.trained;
  model.loss_sum = [decoder](const Tensor& ids, const Tensor& targets, double label_smoothing,
                             Run& run) {
    return linear_cross_entropy(decoder->hidden(ids, run), decoder->lm_head.dense, targets,
                                {.label_smoothing = label_smoothing, .reduction = Reduction::sum});
  };
  return model;
}

Json complete_gpt2(const Json& config, const std::string& file) {
  return write_gpt2_config(read_gpt2_config(config, file));
}

Model build_gpt2(const Json& config, const std::string& file, ParamStore store) {
  return build_decoder<Gpt2>(config, read_gpt2_config(config, file), std::move(store));
}

Json complete_llama(const Json& config, const std::string& file) {
  return write_llama_config(read_llama_config(config, file));
}

Model build_llama(const Json& config, const std::string& file, ParamStore store) {
  return build_decoder<Llama>(config, read_llama_config(config, file), std::move(store));
}

Json complete_falcon(const Json& config, const std::string& file) {
  return write_falcon_config(read_falcon_config(config, file));
}

Model build_falcon(const Json& config, const std::string& file, ParamStore store) {
  return build_decoder<Falcon>(config, read_falcon_config(config, file), std::move(store));
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

struct DecoderSize {
  int layers, heads, kv_heads, width, inner, context;
};

std::vector<Json::Member> llama_size(DecoderSize s) {
  return {{"num_hidden_layers", s.layers},     {"num_attention_heads", s.heads},
          {"num_key_value_heads", s.kv_heads}, {"hidden_size", s.width},
          {"intermediate_size", s.inner},      {"max_position_embeddings", s.context}};
}

std::vector<Json::Member> falcon_size(int layers, int heads, int width, int context) {
  return {{"num_hidden_layers", layers},
          {"num_attention_heads", heads},
          {"hidden_size", width},
          {"max_position_embeddings", context}};
}

std::vector<Family> text_families() {
  return {
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
                   {"small", marian_size(4, 4, 128, 256)},
                   {"base", marian_size(6, 8, 512, 2048)},
                   {"big", marian_size(6, 16, 1024, 4096)}},
       .complete = complete_marian,
       .build = build_marian,
       .names = &kMarianNames},
      {.name = "llama",
       .model_type = "llama",
       .presets = {{"tiny", llama_size({2, 2, 1, 64, 176, 128})},
                   {"small", llama_size({4, 4, 2, 128, 352, 256})},
                   {"base", llama_size({12, 12, 4, 768, 2048, 1024})}},
       .complete = complete_llama,
       .build = build_llama,
       .names = &kLlamaNames},
      {.name = "falcon",
       .model_type = "falcon",
       .presets = {{"tiny", falcon_size(2, 2, 64, 128)},
                   {"small", falcon_size(4, 4, 128, 256)},
                   {"base", falcon_size(12, 12, 768, 1024)}},
       .complete = complete_falcon,
       .build = build_falcon,
       .names = &kFalconNames},
  };
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> table = [] {
    std::vector<Family> rows = text_families();
    for (Family& row : encoder_families()) rows.push_back(std::move(row));
    return rows;
  }();
  return table;
}

}  // namespace jogak
