// Gemma: LLaMA whose norms keep their gains less 1, whose embeddings are scaled, with GeGLU.
// Gemma 2: a norm before and after each sub-layer, scores and logits with caps, every second layer
// local. Gemma 3 (its text model): norms of queries and keys in place of the cap of scores, and
// five of six layers local, with positions that rotate faster.
#include <cmath>

#include "models/decoders/rotary_keys.h"

namespace jogak {
namespace {

struct GemmaConfig : RotaryDecoderConfig {
  GemmaConfig() {
    vocab = 256000, context = 8192, width = 3072, inner = 24576, layers = 28;
    heads = kv_heads = 16, head = 256;
    activation = Activation::gelu_tanh;
    tied = gains_less_one = scale_embedding = true;
  }
  static const ConfigTable<GemmaConfig>& table();
};

struct Gemma2Config : GemmaConfig {
  Gemma2Config() {
    width = 2304, inner = 9216, layers = 26, heads = 8, kv_heads = 4;
    norms = Norms::both;
    score_scale = 1.0 / 16, score_cap = 50, logit_cap = 30;
  }
  static const ConfigTable<Gemma2Config>& table();
};

struct Gemma3Config : Gemma2Config {
  Gemma3Config() {
    vocab = 262208, context = 131072;
    head_norms = HeadNorms::each;
    score_cap = logit_cap = 0;
  }
  static const ConfigTable<Gemma3Config>& table();
};

template <class C>
ConfigKey<C> causal_rule() {
  return ConfigKey<C>::rule([](const Fields& f, C&) {
    constexpr const char* kKey = "use_bidirectional_attention";
    if (f.flag_or(kKey, false)) f.wrong(f.at(kKey), kKey, "false: tokens look back alone");
  });
}

// Queries are divided by the root of this number.
template <class C>
ConfigKey<C> query_scalar() {
  return ConfigKey<C>::value(
      "query_pre_attn_scalar", &C::score_scale,
      [](const Fields& f, const char* key, double scale) {
        if (!f.has(key)) return scale;
        const double found = f.number(key);
        if (!(found > 0)) f.wrong(f.at(key), key, "a positive number");
        return 1 / std::sqrt(found);
      },
      [](double scale) {
        const double scalar = 1 / (scale * scale), whole = std::round(scalar);
        return std::fabs(scalar - whole) < 1e-6 ? Json(static_cast<int64_t>(whole)) : Json(scalar);
      });
}

// null: none.
template <class C>
ConfigKey<C> cap_row(const char* name, double C::*at) {
  return ConfigKey<C>::value(
      name, at,
      [](const Fields& f, const char* key, double otherwise) {
        if (!f.has(key)) return f.json().find(key) ? 0 : otherwise;
        const double found = f.number(key);
        if (!(found > 0)) f.wrong(f.at(key), key, "a positive number or null");
        return found;
      },
      [](double cap) { return cap > 0 ? Json(cap) : Json(); });
}

void write_gemma_windows(const Gemma2Config& c, Json& json) {
  write_window(c, json);
  write_layer_types(c, json);
}

void read_gemma2_windows(const Fields& f, Gemma2Config& c) {
  read_window(f, c, 4096);
  read_layer_types(f, c, [](const Gemma2Config&, int64_t layer) { return layer % 2 == 0; });
}

void read_gemma3_windows(const Fields& f, Gemma3Config& c) {
  read_window(f, c, 4096);
  const int64_t every = f.integer_or("sliding_window_pattern", 6, kSize);
  read_layer_types(
      f, c, [every](const Gemma3Config&, int64_t layer) { return (layer + 1) % every != 0; });
}

// By kinds of layers, or in the keys of older files.
void read_gemma3_rope(const Fields& f, Gemma3Config& c) {
  const RopeUsage wide{.theta = 1000000, .by_kind = true},
      narrow{.theta = 10000, .theta_key = "rope_local_base_freq", .by_kind = true};
  Json everywhere = Json::object(), local = Json::object();
  for (const char* key : {"rope_theta", "rope_scaling"})
    if (f.has(key)) everywhere.set(key, f.at(key));
  if (f.has(narrow.theta_key)) local.set(narrow.theta_key, f.at(narrow.theta_key));
  if (f.has("rope_parameters")) {
    const Fields kinds = f.object("rope_parameters");
    if (kinds.has(kFullLayer)) everywhere.set("rope_parameters", kinds.at(kFullLayer));
    if (kinds.has(kLocalLayer)) local.set("rope_parameters", kinds.at(kLocalLayer));
  }
  c.rope = read_rope(Fields(everywhere, f.file()), c.context, wide);
  c.local_rope = read_rope(Fields(local, f.file()), c.context, narrow);
}

void write_gemma3_rope(const Gemma3Config& c, Json& json) {
  Json kinds = Json::object();
  kinds.set(kFullLayer, write_rope(c.rope)).set(kLocalLayer, write_rope(*c.local_rope));
  json.set("rope_parameters", std::move(kinds));
}

// The first releases wrote "gelu" and meant its approximation by tanh; transformers reads it so.
void read_first_gelu(const Fields& f, GemmaConfig& c) {
  if (f.text_or("hidden_act", "") == "gelu") c.activation = Activation::gelu_tanh;
}

const ConfigTable<GemmaConfig>& GemmaConfig::table() {
  using C = GemmaConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys =
      with_rows(rotary_rows<C>({.kv_heads = 16, .head = 256}),
                {K::rule(read_first_gelu), attention_bias_row<C>(), causal_rule<C>(),
                 K::rope(&C::rope, &C::context), even_head_rule<C>(), pad_row<C>(0)});
  return keys;
}

const ConfigTable<Gemma2Config>& Gemma2Config::table() {
  using C = Gemma2Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = with_rows(
      rotary_rows<C>({.kv_heads = 4, .head = 256, .activation = "hidden_activation"}),
      {attention_bias_row<C>(), causal_rule<C>(), query_scalar<C>(),
       cap_row<C>("attn_logit_softcapping", &C::score_cap),
       cap_row<C>("final_logit_softcapping", &C::logit_cap), K::rope(&C::rope, &C::context),
       even_head_rule<C>(),
       K::together({"sliding_window", "layer_types"}, read_gemma2_windows, write_gemma_windows),
       pad_row<C>(0)});
  return keys;
}

const ConfigTable<Gemma3Config>& Gemma3Config::table() {
  using C = Gemma3Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = with_rows(
      rotary_rows<C>({.kv_heads = 4, .head = 256, .activation = "hidden_activation"}),
      {attention_bias_row<C>(), causal_rule<C>(), query_scalar<C>(),
       cap_row<C>("final_logit_softcapping", &C::logit_cap),
       K::together({"rope_parameters"}, read_gemma3_rope, write_gemma3_rope), even_head_rule<C>(),
       K::together({"sliding_window", "layer_types"}, read_gemma3_windows, write_gemma_windows),
       pad_row<C>(0)});
  return keys;
}

Family gemma_record(const char* type, const char* architecture) {
  return rotary_record(type, architecture, {{"head_dim", 32}, {"pad_token_id", Json()}});
}

}  // namespace

Family gemma_family() {
  return decoder_family<RotaryDecoderOf<GemmaConfig>>(gemma_record("gemma", "GemmaForCausalLM"));
}

Family gemma2_family() {
  return decoder_family<RotaryDecoderOf<Gemma2Config>>(gemma_record("gemma2", "Gemma2ForCausalLM"));
}

Family gemma3_text_family() {
  return decoder_family<RotaryDecoderOf<Gemma3Config>>(
      gemma_record("gemma3_text", "Gemma3ForCausalLM"));
}

}  // namespace jogak
