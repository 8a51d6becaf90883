// LLaMA as Hugging Face's directories have it: names, config.json.
#include "models/family.h"
#include "models/llama.h"

namespace jogak {
namespace {

// -1 is the last row, as PyTorch counts.
void read_llama_pad(const Fields& f, LlamaConfig& c) {
  if (!f.has("pad_token_id")) return;
  const int64_t id = f.integer("pad_token_id", {-c.vocab, c.vocab - 1});
  c.pad = id < 0 ? c.vocab + id : id;
}

void write_llama_pad(const LlamaConfig& c, Json& json) {
  if (c.pad >= 0) json.set("pad_token_id", c.pad);
}

void check_llama_head(const Fields& f, LlamaConfig& c) {
  if (c.head % 2 != 0)
    f.wrong(place_of(f, "head_dim"), "head_dim",
            "an even number: elements of a head turn in pairs");
}

struct LlamaSize {
  int layers, heads, kv_heads, width, inner, context;
};

std::vector<Json::Member> llama_preset(LlamaSize s) {
  return {{"num_hidden_layers", s.layers},     {"num_attention_heads", s.heads},
          {"num_key_value_heads", s.kv_heads}, {"hidden_size", s.width},
          {"intermediate_size", s.inner},      {"max_position_embeddings", s.context}};
}

}  // namespace

const ConfigTable<LlamaConfig>& LlamaConfig::table() {
  using C = LlamaConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {
      K::size("vocab_size", &C::vocab),
      K::size("max_position_embeddings", &C::context),
      K::size("hidden_size", &C::width),
      K::size("intermediate_size", &C::inner),
      K::layers("num_hidden_layers", &C::layers),
      K::divisor("num_attention_heads", &C::heads, "hidden_size", &C::width),
      K::divisor("num_key_value_heads", &C::kv_heads, "num_attention_heads", &C::heads)
          .otherwise([](C& c) { c.kv_heads = c.heads; }),
      K::size("head_dim", &C::head, {1, 1 << 16}).otherwise([](C& c) {
        c.head = c.width / c.heads;
      }),
      K::rule(check_llama_head),
      K::activation("hidden_act", &C::activation),
      K::epsilon("rms_norm_eps", &C::eps),
      K::flag("attention_bias", &C::attention_bias),
      K::flag("mlp_bias", &C::mlp_bias),
      K::rate("attention_dropout", &C::attn_drop),
      K::number("initializer_range", &C::init),
      K::rope(&C::rope, &C::context),
      K::flag("tie_word_embeddings", &C::tied),
      // Left out, transformers would take tokens 1 and 2.
      K::constant("bos_token_id", Json()),
      K::constant("eos_token_id", Json()),
      K::together({"pad_token_id"}, read_llama_pad, write_llama_pad),
  };
  return keys;
}

ModelOutline LlamaConfig::outline() const {
  return {.wiring = ModelOutline::Wiring::decoder,
          .block = ModelOutline::Block::pre,
          .decoder = {layers, heads, kv_heads, inner},
          .width = width,
          .head_width = head,
          .vocab = vocab,
          .context = context,
          .outputs = vocab,
          .gated = true,
          .final_norm = true,
          .positions = "rotary",
          .norm = "RMSNorm",
          .activation = activation_title(activation, true)};
}

Family llama_family() {
  return decoder_family<Llama>(
      {.name = "llama",
       .model_type = "llama",
       .architecture = "LlamaForCausalLM",
       // Frequencies follow from the configuration; a tied head may stand in a file once more.
       .names = {.prefix = "model.",
                 .outside = {"lm_head.weight"},
                 .ignored = {"*.rotary_emb.inv_freq", "rotary_emb.inv_freq", "lm_head.weight"}},
       .presets = {{"tiny", llama_preset({2, 2, 1, 64, 176, 128})},
                   {"small", llama_preset({4, 4, 2, 128, 352, 256})},
                   {"base", llama_preset({12, 12, 4, 768, 2048, 1024})}},
       .lora_targets = {"q_proj", "v_proj"}});
}

}  // namespace jogak
