// T5 as Hugging Face's directories have it: names, config.json.
#include "models/family.h"
#include "models/seq2seq/t5.h"

namespace jogak {
namespace {

// "relu", "gated-silu": what comes between the matrices, and whether it opens a gate.
void read_feed_forward(const Fields& f, T5Config& c) {
  constexpr const char* kKey = "feed_forward_proj";
  if (!f.has(kKey)) return;
  std::string kind = f.text(kKey);
  c.gated = kind.starts_with("gated-");
  if (c.gated) kind = kind.substr(std::string("gated-").size());
  // What T5 calls a gate of GELU was made with GPT-2's.
  if (c.gated && kind == "gelu") kind = "gelu_new";
  const Json named = Json::object({{kKey, kind}});
  try {
    c.activation = read_activation(Fields(named, ""), kKey, c.activation);
  } catch (const FormatError&) {
    f.wrong(f.at(kKey), kKey, "an activation such as relu, or one behind gated-");
  }
}

void write_feed_forward(const T5Config& c, Json& json) {
  const std::string kind = activation_name(c.activation);
  const bool usual = c.gated && c.activation == Activation::gelu_tanh;
  json.set("feed_forward_proj", (c.gated ? "gated-" : "") + (usual ? "gelu" : kind));
}

// transformers once said by "tie_word_embeddings" whether outputs are scaled, and says it by itself
// now; the head is the table unless the file has another.
void read_head(const Fields& f, T5Config& c) {
  c.tied = f.flag_or("tie_word_embeddings", true);
  c.scale_outputs = f.flag_or("scale_decoder_outputs", c.tied);
}

void write_head(const T5Config& c, Json& json) {
  json.set("tie_word_embeddings", c.tied).set("scale_decoder_outputs", c.scale_outputs);
}

void read_t5_tokens(const Fields& f, T5Config& c) {
  c.pad = read_token(f, "pad_token_id", 0, c.vocab);
  c.start = read_token(f, "decoder_start_token_id", c.pad, c.vocab);
  c.end = read_end(f, 1, c.vocab);
}

void write_t5_tokens(const T5Config& c, Json& json) {
  json.set("pad_token_id", c.pad).set("eos_token_id", c.end);
  json.set("decoder_start_token_id", c.start);
}

void check_buckets(const Fields& f, T5Config& c) {
  if (c.farthest <= c.buckets / 2)
    f.wrong(place_of(f, "relative_attention_max_distance"), "relative_attention_max_distance",
            text_of("more than ", c.buckets / 2, ", the distances with a bucket each"));
}

void refuse_lone_decoder(const Fields& f, T5Config&) {
  if (f.flag_or("is_decoder", false))
    f.wrong(f.at("is_decoder"), "is_decoder", "false: encoder and decoder together");
}

std::vector<Json::Member> t5_size(int layers, int heads, int width, int inner) {
  return {{"num_layers", layers},
          {"num_heads", heads},
          {"d_model", width},
          {"d_kv", width / heads},
          {"d_ff", inner}};
}

}  // namespace

const ConfigTable<T5Config>& T5Config::table() {
  using C = T5Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {
      K::constant("is_encoder_decoder", true),
      K::rule(refuse_lone_decoder),
      K::size("vocab_size", &C::vocab),
      K::size("d_model", &C::width).also("hidden_size"),
      K::size("d_kv", &C::head).also("head_dim"),
      K::size("d_ff", &C::inner),
      K::layers("num_layers", &C::encoder_layers).also("num_hidden_layers"),
      K::layers("num_decoder_layers", &C::decoder_layers).otherwise([](C& c) {
        c.decoder_layers = c.encoder_layers;
      }),
      K::size("num_heads", &C::heads).also("num_attention_heads"),
      K::size("n_positions", &C::context),
      K::size("relative_attention_num_buckets", &C::buckets, {4, 1 << 16}),
      K::size("relative_attention_max_distance", &C::farthest),
      K::rule(check_buckets),
      K::rate("dropout_rate", &C::dropout),
      K::epsilon("layer_norm_epsilon", &C::eps),
      K::number("initializer_factor", &C::init),
      K::together({"feed_forward_proj"}, read_feed_forward, write_feed_forward),
      K::together({"tie_word_embeddings", "scale_decoder_outputs"}, read_head, write_head),
      K::together({"pad_token_id", "eos_token_id", "decoder_start_token_id"}, read_t5_tokens,
                  write_t5_tokens),
  };
  return keys;
}

ModelOutline T5Config::outline() const {
  return {.block = ModelOutline::Block::pre,
          .encoder = {encoder_layers, heads, heads, inner},
          .decoder = {decoder_layers, heads, heads, inner},
          .width = width,
          .head_width = head,
          .vocab = vocab,
          .context = context,
          .outputs = vocab,
          .gated = gated,
          .final_norm = true,
          .positions = "relative",
          .norm = "RMSNorm",
          .activation = activation_title(activation, gated)};
}

Family t5_family() {
  return seq2seq_family<T5>(
      {.name = "t5",
       .model_type = "t5",
       .architecture = "T5ForConditionalGeneration",
       // Shared tables stand in older files once more, and so does a bias that nobody reads.
       .names = {.prefix = "",
                 .ignored = {"*.embed_tokens.weight", "lm_head.weight", "shared.weight",
                             "*.EncDecAttention.relative_attention_bias.weight"}},
       .presets = {{"tiny", t5_size(2, 2, 64, 256)},
                   {"small", t5_size(4, 4, 128, 512)},
                   {"base", t5_size(12, 12, 768, 3072)}},
       .lora_targets = {"q", "v"}});
}

}  // namespace jogak
