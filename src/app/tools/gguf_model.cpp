#include "app/tools/gguf_model.h"

#include <cstring>
#include <functional>
#include <vector>

#include "app/tools/gguf_names.h"
#include "app/tools/gguf_rope.h"
#include "models/families.h"

namespace jogak {
namespace {

// Keys that begin with the architecture's name.
struct Keys {
  const GgufFile& file;
  std::string prefix;
  std::string operator()(const char* key) const { return prefix + "." + key; }
  int64_t size(const char* key) const { return file.integer((*this)(key), kGgufSize); }
  int64_t size_or(const char* key, int64_t otherwise) const {
    return file.integer_or((*this)(key), otherwise, kGgufSize);
  }
  double number_or(const char* key, double otherwise) const {
    return file.number_or((*this)(key), otherwise);
  }
};

int64_t rows_of(const GgufFile& file, const char* tensor) {
  const auto found = file.tensors().find(tensor);
  ensure<FormatError>(found != file.tensors().end() && found->second.shape.rank() == 2, file.path(),
                      ": found no matrix ", tensor, ", wanted one");
  return found->second.shape[0];
}

void gpt2_config(const Keys& k, Json& out) {
  out.set("n_positions", k.size("context_length")).set("n_embd", k.size("embedding_length"));
  out.set("n_layer", k.size("block_count")).set("n_head", k.size("attention.head_count"));
  out.set("n_inner", k.size("feed_forward_length"));
  out.set("layer_norm_epsilon", k.number_or("attention.layer_norm_epsilon", 1e-5));
}

// llama.cpp scales by the width of a head, but in the largest of Gemma 2 and 3.
int64_t gemma_scale(const Keys& k, int64_t head) {
  const int64_t layers = k.size("block_count");
  const bool largest = layers == (k.prefix == "gemma2" ? 46 : 62);
  return largest ? k.size("embedding_length") / k.size("attention.head_count") : head;
}

void gemma_config(const Keys& k, int64_t head, Json& out) {
  out.set("hidden_activation", "gelu_pytorch_tanh");
  if (k.prefix == "gemma") return;
  out.set("query_pre_attn_scalar", gemma_scale(k, head));
  out.set("sliding_window", k.size_or("attention.sliding_window", 4096));
  if (k.prefix == "gemma2") {
    out.set("attn_logit_softcapping", k.number_or("attn_logit_softcapping", 50));
    out.set("final_logit_softcapping", k.number_or("final_logit_softcapping", 30));
  }
}

void rotary_config(const Keys& k, Json& out) {
  const int64_t width = k.size("embedding_length"), heads = k.size("attention.head_count");
  const int64_t head = k.size_or("attention.key_length", width / heads);
  out.set("max_position_embeddings", k.size("context_length")).set("hidden_size", width);
  out.set("intermediate_size", k.size("feed_forward_length"));
  out.set("num_hidden_layers", k.size("block_count")).set("num_attention_heads", heads);
  out.set("num_key_value_heads", k.size_or("attention.head_count_kv", heads));
  if (k.prefix != "phi3" && k.prefix != "olmo2") out.set("head_dim", head);
  out.set("rms_norm_eps", k.number_or("attention.layer_norm_rms_epsilon", 1e-6));
  if (k.prefix.starts_with("gemma")) gemma_config(k, head, out);
  if (k.prefix == "phi3") {  // 0: none
    const int64_t window = k.file.integer_or(k("attention.sliding_window"), 0, {0, kGgufSize.high});
    out.set("sliding_window", window > 0 ? Json(window) : Json());
  }
  set_gguf_rope(k.file, k.prefix, head, out);
}

// Rows of each head apart again: row 2 i + half there is row half * width / 2 + i here.
Tensor unpaired(const Tensor& from, int64_t heads) {
  const int64_t rows = from.dim(0), head = rows / heads;
  const size_t bytes = from.bytes() / static_cast<size_t>(rows);
  const Tensor out = empty_like(from);
  const auto* const source = static_cast<const std::byte*>(from.raw());
  auto* const to = static_cast<std::byte*>(out.raw());
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t within = row % head, half = within / (head / 2), i = within % (head / 2);
    const int64_t there = row - within + 2 * i + half;
    std::memcpy(to + static_cast<size_t>(row) * bytes, source + static_cast<size_t>(there) * bytes,
                bytes);
  }
  return out;
}

Tensor less_one(const Tensor& gains) {
  const Tensor out = clone(cast(gains, DType::f32));
  float* const values = out.data<float>();
  for (int64_t i = 0; i < out.count(); ++i) values[i] -= 1;
  return out;
}

using Change = std::function<Tensor(const Tensor&)>;

// The heads whose rows a weight has, of a shape that divides into them.
int64_t heads_of(const GgufFile& file, const std::string& name, const GgufTensor& info) {
  const std::string prefix = file.text("general.architecture") + ".attention.";
  const bool keys = name.find(".attn_k.") != std::string::npos;
  const int64_t all = file.integer(prefix + "head_count", kGgufSize);
  const int64_t heads = keys ? file.integer_or(prefix + "head_count_kv", all, kGgufSize) : all;
  ensure<FormatError>(info.shape.rank() >= 1 && info.shape[0] % (2 * heads) == 0, file.path(),
                      ": tensor ", name, ": found shape ", info.shape,
                      ", wanted pairs of rows for ", heads, " heads");
  return heads;
}

TensorSource weight_source(const GgufFile& file, const GgufArchitecture& a,
                           const std::string& there, const GgufTensor& info,
                           std::optional<DType> kept) {
  TensorSource out{name_here(a, there), info.dtype(), info.shape, {}};
  ensure<FormatError>(!out.name.empty(), file.path(), ": found a tensor ", there, ", which no ",
                      a.family, " model has");
  const bool matrix = info.shape.rank() == 2;
  if (matrix && kept) out.dtype = *kept;
  Change change = [](const Tensor& x) { return x; };
  if (is_one_of(there, a.layouts.paired))
    change = [heads = heads_of(file, there, info)](const Tensor& x) { return unpaired(x, heads); };
  if (is_one_of(there, a.layouts.raised)) change = less_one, out.dtype = DType::f32;
  if (matrix && is_one_of(there, a.layouts.transposed)) {
    out.shape = Shape{info.shape[1], info.shape[0]};
    change = [](const Tensor& x) {
      return x.view({x.dim(1), x.dim(0)}, {1, x.dim(1)}, x.offset());
    };
  }
  out.make = [&file, there, change, dtype = out.dtype] {
    return cast(dense(change(file.read(there))), dtype);
  };
  return out;
}

}  // namespace

std::string gguf_architectures() {
  std::string out;
  for (const GgufArchitecture& one : gguf_architecture_list())
    out += (out.empty() ? "" : ", ") + std::string(one.name);
  return out;
}

Json gguf_config(const GgufFile& file) {
  const GgufArchitecture& a = gguf_architecture(file);
  const Keys keys{file, a.name};
  ensure<FormatError>(keys.size_or("expert_count", 1) == 1, file.path(), ": found a model of ",
                      keys.size_or("expert_count", 1), " experts, wanted one without");
  const Family& family = family_named(a.family);
  Json out = Json::object();
  const int64_t vocab = rows_of(file, "token_embd.weight");
  out.set("model_type", family.model_type).set("vocab_size", vocab);
  if (a.family == std::string("gpt2"))
    gpt2_config(keys, out);
  else
    rotary_config(keys, out);
  out.set("tie_word_embeddings", !file.tensors().contains("output.weight"));
  out.set("pad_token_id", Json());  // left out, a family's usual one would be meant
  for (const auto& [role, key] : {std::pair("bos_token_id", "tokenizer.ggml.bos_token_id"),
                                  std::pair("eos_token_id", "tokenizer.ggml.eos_token_id"),
                                  std::pair("pad_token_id", "tokenizer.ggml.padding_token_id")})
    if (file.has(key)) out.set(role, file.integer(key, {0, vocab - 1}));
  Json full = family.complete(out, file.path());
  for (const char* role : {"bos_token_id", "eos_token_id", "pad_token_id"})
    if (const Json* id = out.find(role)) full.set(role, *id);
  return full;
}

TensorSources gguf_weights(const GgufFile& file, std::optional<DType> kept) {
  const GgufArchitecture& a = gguf_architecture(file);
  TensorSources out;
  for (const auto& [name, info] : file.tensors())
    if (!is_gguf_rope(name)) out.push_back(weight_source(file, a, name, info, kept));
  return out;
}

}  // namespace jogak
