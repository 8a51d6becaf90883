// What was recorded of a forward pass, made into pictures and tables.
#pragma once

#include <functional>
#include <span>

#include "look/inspection.h"
#include "look/recorder.h"
#include "nn/params.h"

namespace jogak {

// An image cut into rows x columns of patches, behind `before` tokens that show none.
struct ImagePatches {
  int64_t rows = 0, columns = 0, before = 0;
  Backdrop pixels = {};
};

// What stands along the sides: words for tokens, patches of an image, patches of a series.
struct TokenNames {
  std::vector<std::string> target,
      source = {};  // source: of an encoder-decoder, or beside an image
  std::vector<std::string> written =
      {};  // by each step of a decoder: the row of its cross-attention
  std::vector<int64_t> target_ids = {}, source_ids = {};
  std::vector<std::string> series = {};  // of channel attention
  ImagePatches image = {};               // of an image: what its patches show
};

struct AttentionChoice {
  int64_t layer = -1;     // -1: the last; kAll: all
  int64_t head = -1;      // -1: all
  int64_t row = 0;        // of the batch
  std::string kind = {};  // empty: cross where there is one, else self
  bool transpose = false;
  static constexpr int64_t kAll = -2;
};

// UsageError when there is no such layer, head or kind.
void show_attention(const std::vector<AttentionMap>& maps, const TokenNames& names,
                    const AttentionChoice& choice, Inspection& out);
// Every head of the kinds there are, measured.
void show_heads(const std::vector<AttentionMap>& maps, const TokenNames& names, int64_t row,
                Inspection& out);
void show_positions(const std::vector<PositionTable>& tables, bool transpose, Inspection& out);
void show_steps(const std::vector<StepRecord>& steps, bool statistics, Inspection& out);

struct WeightChoice {
  int64_t layer = -1;     // -1: all; of an encoder-decoder of both sides
  std::string name = {};  // one weight, by (the end of) its name
};
void show_weights(const ParamStore& store, const WeightChoice& choice, Inspection& out);

// Logits of each layer read as if it were the last: [T, V] a layer, of one text.
struct LensLayer {
  std::string name;
  Tensor logits;
};
void show_lens(const std::vector<LensLayer>& layers, const TokenNames& names,
               const std::function<std::string(int64_t)>& token, Inspection& out);

// Gradient norms: of the stream behind each layer, and of the weights in it.
struct LayerGradient {
  std::string name;
  double stream = 0, weights = 0;
};
void show_gradients(const std::vector<LayerGradient>& layers, Inspection& out);

}  // namespace jogak
