// What embedding, filling in, classifying, forecasting and training need of a model that writes no
// text, whatever its family.
#pragma once

#include <functional>

#include "nn/labels.h"
#include "nn/run.h"

namespace jogak {

struct EncoderInput {
  Tensor values;            // ids i64 [B, T]; pixels [B, channels, H, W]; series [B, time, series]
  Tensor mask = {};         // bool, false for padding [B, T] or what is unknown [B, time, series]
  Tensor token_types = {};  // of text, i64 [B, T]; undefined: all 0
  Tensor positions = {};    // of text, i64 [B, T]; undefined: 0, 1, 2, .. in each row
  Tensor wanted = {};       // of text, i64 [N]: the places (of B * T) to predict; undefined: all
};

enum class EncoderTask : uint8_t {
  embed,     // no head: vectors
  fill,      // which token stands there: logits [B, T, vocab], or [N, vocab] of the places wanted
  classify,  // which label the input has: logits [B, labels]
  tag,       // which label each token has: logits [B, T, labels]
  forecast,  // how the series go on: [B, horizon, series], or with more behind (see point)
  answer,    // at which tokens the answer to a question begins and ends: logits [B, T, 2]
  detect,    // whether each token was put in place of another: odds [B, T]
};

struct EncoderModel {
  EncoderTask task = EncoderTask::embed;
  std::function<Tensor(const EncoderInput& input, Run& run)> hidden;   // [B, .., C]
  std::function<Tensor(const EncoderInput& input, Run& run)> pooled;   // [B, C]; may be empty
  std::function<Tensor(const EncoderInput& input, Run& run)> predict;  // by task; empty: embed
  // The same of what any layer made, as if it were the last; empty where a forecast is made.
  std::function<Tensor(const Tensor& hidden, Run& run)> read;
  // Of what was predicted: mean over the targets that count, or their sum; ready for backward.
  // Targets are token ids or label ids (i64, -100: not), the first and last token of each answer
  // (i64 [B, 2]), numbers, or the series as they went on.
  std::function<Tensor(const Tensor& predicted, const Tensor& targets,
                       const CrossEntropyOptions& options)>
      loss;
  // Of a forecast with more behind it (quantiles) what is most likely, [B, horizon, series]; empty:
  // there is no more.
  std::function<Tensor(const Tensor& predicted)> point;
  Labels labels;              // of classify and tag
  int64_t width = 0;          // C
  int64_t vocab = 0;          // of text
  int64_t context = 0;        // longest text, or how much of a series is seen
  int64_t channels = 0;       // of an image, or how many series
  int64_t image[2] = {};      // height and width the positions were made for; others work, too
  int64_t horizon = 0;        // of a forecast
  bool from_shorter = false;  // a window may begin before its series does: masked there
};

inline Tensor point_forecast(const EncoderModel& model, const Tensor& predicted) {
  return model.point ? model.point(predicted) : predicted;
}

}  // namespace jogak
