// The encoder-decoder as Hugging Face's `marian` directories have it: names, config.json.
#include "models/seq2seq/marian_keys.h"

namespace jogak {
namespace {

void check_sharing(const Fields& f, MarianConfig& c) {
  if (c.share_embeddings && c.decoder_vocab != c.vocab)
    f.wrong(f.at("decoder_vocab_size"), "decoder_vocab_size",
            text_of("vocab_size, ", c.vocab, ", where both sides share their embeddings"));
}

// A configuration that names no padding has it as the last token, and starts with it.
Json with_tokens(Json config) {
  if (!config.find("vocab_size")) config.set("vocab_size", 8000);
  const Json* const vocab = config.find("vocab_size");
  if (!config.find("pad_token_id") && vocab->is_integer())
    config.set("pad_token_id", vocab->integer() - 1);
  if (!config.find("decoder_start_token_id") && config.find("pad_token_id"))
    config.set("decoder_start_token_id", Json(*config.find("pad_token_id")));
  return config;
}

// The model of 2017: ReLU, embeddings times sqrt(width), everything tied.
std::vector<Json::Member> paper_size(int layers, int heads, int width, int inner) {
  std::vector<Json::Member> out = marian_size(layers, heads, width, inner);
  out.emplace_back("activation_function", "relu");
  out.emplace_back("scale_embedding", true);
  return out;
}

}  // namespace

const ConfigTable<MarianConfig>& MarianConfig::table() {
  using C = MarianConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = marian_rows<C>({
      K::size("decoder_vocab_size", &C::decoder_vocab).otherwise([](C& c) {
        c.decoder_vocab = c.vocab;
      }),
      K::flag("share_encoder_decoder_embeddings", &C::share_embeddings),
      K::rule(check_sharing),
  });
  return keys;
}

ModelOutline MarianConfig::outline() const {
  return {.block = norms_first ? ModelOutline::Block::pre : ModelOutline::Block::post,
          .encoder = {encoder.layers, encoder.heads, encoder.heads, encoder.inner},
          .decoder = {decoder.layers, decoder.heads, decoder.heads, decoder.inner},
          .width = width,
          .head_width = width / decoder.heads,
          .vocab = decoder_vocab,
          .context = context,
          .outputs = decoder_vocab,
          .final_norm = norms_first,
          .positions = places == Places::learned ? "learned" : "sinusoidal",
          .activation = activation_title(activation)};
}

Family marian_family() {
  Family family = seq2seq_family<Marian>(
      {.name = "seq2seq",
       .model_type = "marian",
       .architecture = "MarianMTModel",
       // Positions follow from the configuration and shared tables from one of them: in a file they
       // may stand once more.
       .names = {.prefix = "model.",
                 .outside = {"lm_head.weight", "final_logits_bias"},
                 .ignored = {"*.embed_positions.weight", "*.embed_tokens.weight", "lm_head.weight",
                             "shared.weight"}},
       .presets = {{"tiny", paper_size(2, 2, 64, 256)},
                   {"small", paper_size(4, 4, 128, 256)},
                   {"base", paper_size(6, 8, 512, 2048)},
                   {"big", paper_size(6, 16, 1024, 4096)}},
       .lora_targets = {"q_proj", "v_proj"}});
  family.complete = [full = family.complete](const Json& config, const std::string& file) {
    return full(with_tokens(Fields(config, file).json()), file);
  };
  return family;
}

}  // namespace jogak
