// T5: an encoder-decoder without tables of positions. A learned number for each head and distance
// is added to the scores, which are not scaled; RMS norms stand before each sub-layer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "models/seq2seq/seq2seq_parts.h"
#include "nn/relative_bias.h"

namespace jogak {

struct T5Config {
  int64_t vocab = 32128, width = 512, inner = 2048, heads = 8, head = 64;
  int64_t encoder_layers = 6, decoder_layers = 6;
  int64_t buckets = 32, farthest = 128;  // of distances
  int64_t context = 512;                 // what it was made for; there is no end
  double dropout = 0.1, eps = 1e-6, init = 1;
  Activation activation = Activation::relu;
  bool gated = false;         // three matrices in the feed-forward
  bool tied = true;           // the head is the table
  bool scale_outputs = true;  // by 1 / sqrt(width), before the head
  int64_t pad = 0, start = 0, end = 1;

  static const ConfigTable<T5Config>& table();
  ModelOutline outline() const;
};

struct T5SelfAttention {
  Linear qkv, o;  // q, k and v as one
  AttentionShape shape;
  T5SelfAttention(Params p, const T5Config& c);
  Tensor operator()(const Tensor& x, const AttentionMask& mask, LayerRun run,
                    const char* name) const;
};

struct T5CrossAttention {
  Linear q, kv, o;
  AttentionShape shape;
  T5CrossAttention(Params p, const T5Config& c);
  Tensor operator()(const Tensor& x, const Tensor& memory, const Tensor& mask, LayerRun run) const;
};

struct T5FeedForward {
  Linear wi, wo;  // wi_0 and wi_1 as one where it is gated
  Activation activation;
  bool is_gated;
  double dropout;
  T5FeedForward(Params p, const T5Config& c);
  Tensor operator()(const Tensor& x, LayerRun run) const;
};

struct T5Block {
  std::string path;
  RmsNorm self_norm;
  T5SelfAttention self_attention;
  std::optional<RmsNorm> cross_norm;  // of the decoder
  std::optional<T5CrossAttention> cross_attention;
  RmsNorm ffn_norm;
  T5FeedForward ffn;
  double dropout;
  T5Block(Params p, const T5Config& c, bool decodes);
  // distances: of the stack, for all its layers. Memory [B, S, C] and its mask are the decoder's,
  // undefined when run.sources has them; the encoder has its own mask there.
  Tensor operator()(Tensor x, const Tensor& distances, const Tensor& memory, const Tensor& mask,
                    LayerRun run) const;
};

struct T5Stack {
  std::vector<T5Block> block;
  RelativeBias relative_attention_bias;  // of the first layer in the file
  RmsNorm final_layer_norm;
  T5Stack(Params p, const T5Config& c, bool decodes);
};

struct T5 {
  T5Config config;
  SharedTables tables;
  DType values;
  T5Stack encoder, decoder;
  Weight lm_head;
  T5(Params p, const T5Config& c);

  Tensor encode(const Source& source, Run& run) const;  // [B, S] -> [B, S, C]
  // [B, T] -> [B, T, C], after the last norm. A mask of the target comes with the run: key_mask.
  Tensor hidden(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) const;
  Tensor logits(const Tensor& hidden) const;  // [B, T, C] -> [B, T, V]
  Tensor read(const Tensor& x) const { return logits(decoder.final_layer_norm(x)); }
  Tensor loss_sum(const Tensor& hidden, const Tensor& targets, double label_smoothing) const;

  const Tensor& table() const { return tables.target; }
  const T5CrossAttention& cross(int64_t layer) const {
    return *decoder.block[static_cast<size_t>(layer)].cross_attention;
  }
  static int64_t longest() { return 1 << 24; }
};

}  // namespace jogak
