#include "app/tools/gguf_names.h"

#include <cctype>

#include "base/suggest.h"

namespace jogak {
namespace {

using Names = std::vector<GgufName>;

Names with(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

const Names kOutside = {
    {"token_embd", "model.embed_tokens"}, {"output_norm", "model.norm"}, {"output", "lm_head"}};
const Names kApart = with(kOutside, {{"blk.*.attn_q", "model.layers.*.self_attn.q_proj"},
                                     {"blk.*.attn_k", "model.layers.*.self_attn.k_proj"},
                                     {"blk.*.attn_v", "model.layers.*.self_attn.v_proj"},
                                     {"blk.*.attn_output", "model.layers.*.self_attn.o_proj"},
                                     {"blk.*.ffn_gate", "model.layers.*.mlp.gate_proj"},
                                     {"blk.*.ffn_up", "model.layers.*.mlp.up_proj"},
                                     {"blk.*.ffn_down", "model.layers.*.mlp.down_proj"}});
const Names kHeadNorms = {{"blk.*.attn_q_norm", "model.layers.*.self_attn.q_norm"},
                          {"blk.*.attn_k_norm", "model.layers.*.self_attn.k_norm"}};
const Names kNormsBefore = {{"blk.*.attn_norm", "model.layers.*.input_layernorm"},
                            {"blk.*.ffn_norm", "model.layers.*.post_attention_layernorm"}};
const Names kNormsAfter = {{"blk.*.post_attention_norm", "model.layers.*.post_attention_layernorm"},
                           {"blk.*.post_ffw_norm", "model.layers.*.post_feedforward_layernorm"}};
const Names kNormsBoth =
    with(kNormsAfter, {{"blk.*.attn_norm", "model.layers.*.input_layernorm"},
                       {"blk.*.ffn_norm", "model.layers.*.pre_feedforward_layernorm"}});
const Names kFused = with(kOutside, {{"blk.*.attn_qkv", "model.layers.*.self_attn.qkv_proj"},
                                     {"blk.*.attn_output", "model.layers.*.self_attn.o_proj"},
                                     {"blk.*.ffn_up", "model.layers.*.mlp.gate_up_proj"},
                                     {"blk.*.ffn_down", "model.layers.*.mlp.down_proj"}});
const Names kGpt2 = {{"token_embd", "transformer.wte"},
                     {"position_embd", "transformer.wpe"},
                     {"output_norm", "transformer.ln_f"},
                     {"output", "lm_head"},
                     {"blk.*.attn_norm", "transformer.h.*.ln_1"},
                     {"blk.*.attn_qkv", "transformer.h.*.attn.c_attn"},
                     {"blk.*.attn_output", "transformer.h.*.attn.c_proj"},
                     {"blk.*.ffn_norm", "transformer.h.*.ln_2"},
                     {"blk.*.ffn_up", "transformer.h.*.mlp.c_fc"},
                     {"blk.*.ffn_down", "transformer.h.*.mlp.c_proj"}};

const std::vector<const char*> kEveryNorm = {
    "output_norm",         "blk.*.attn_norm",   "blk.*.ffn_norm",   "blk.*.post_attention_norm",
    "blk.*.post_ffw_norm", "blk.*.attn_q_norm", "blk.*.attn_k_norm"};

// A name without its layer's number, which is put into `layer`: "blk.*.attn_q".
std::string without_layer(const std::string& name, std::string& layer) {
  constexpr std::string_view kStart = "blk.";
  if (!name.starts_with(kStart)) return name;
  const size_t from = kStart.size(), to = name.find('.', from);
  if (to == std::string::npos || to == from) return name;
  for (size_t i = from; i < to; ++i)
    if (!std::isdigit(static_cast<unsigned char>(name[i]))) return name;
  layer = name.substr(from, to - from);
  return "blk.*" + name.substr(to);
}

}  // namespace

const std::vector<GgufArchitecture>& gguf_architecture_list() {
  static const std::vector<GgufArchitecture> list = {
      {"llama", "llama", with(kApart, kNormsBefore), {.paired = {"blk.*.attn_q", "blk.*.attn_k"}}},
      {"qwen2", "qwen2", with(kApart, kNormsBefore)},
      {"qwen3", "qwen3", with(with(kApart, kNormsBefore), kHeadNorms)},
      {"gemma", "gemma", with(kApart, kNormsBefore), {.raised = kEveryNorm}},
      {"gemma2", "gemma2", with(kApart, kNormsBoth), {.raised = kEveryNorm}},
      {"gemma3", "gemma3_text", with(with(kApart, kNormsBoth), kHeadNorms), {.raised = kEveryNorm}},
      {"olmo2", "olmo2", with(with(kApart, kNormsAfter), kHeadNorms)},
      {"phi3", "phi3", with(kFused, kNormsBefore)},
      {"gpt2",
       "gpt2",
       kGpt2,
       {.transposed = {"blk.*.attn_qkv", "blk.*.attn_output", "blk.*.ffn_up", "blk.*.ffn_down"}}},
  };
  return list;
}

const GgufArchitecture& gguf_architecture(const GgufFile& file) {
  const std::string& name = file.text("general.architecture");
  std::string known;
  for (const GgufArchitecture& one : gguf_architecture_list()) {
    if (name == one.name) return one;
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  file.wrong("general.architecture", "one of " + known);
}

std::string name_here(const GgufArchitecture& a, const std::string& there) {
  std::string layer;
  const std::string name = without_layer(there, layer);
  for (const char* ending : {".weight", ".bias"}) {
    if (!name.ends_with(ending)) continue;
    const std::string stem = name.substr(0, name.size() - std::string_view(ending).size());
    for (const GgufName& known : a.names) {
      if (stem != known.there) continue;
      std::string here = known.here;
      if (const size_t star = here.find('*'); star != std::string::npos)
        here.replace(star, 1, layer);
      return here + ending;
    }
  }
  return "";
}

bool is_one_of(const std::string& there, const std::vector<const char*>& names) {
  std::string layer;
  const std::string name = without_layer(there, layer);
  for (const char* one : names)
    if (name == std::string(one) + ".weight" || name == std::string(one) + ".bias") return true;
  return false;
}

}  // namespace jogak
