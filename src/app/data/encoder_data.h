// Batches of any kind for a model that writes no text: its loss over them, and its scores.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/models/model.h"
#include "data/image_data.h"
#include "data/label_data.h"
#include "data/masked_data.h"
#include "data/series_data.h"
#include "data/span_data.h"
#include "data/tag_data.h"
#include "score/classification.h"
#include "score/entities.h"
#include "score/forecast.h"
#include "text/tokenizer.h"
#include "train/task.h"

namespace jogak {

struct EncoderBatch {
  EncoderInput input;
  Tensor targets;
  int64_t count = 0;  // targets that count
};
template <class F>
void each_input(EncoderBatch& b, F f) {
  EncoderInput& in = b.input;
  f(in.values), f(in.mask), f(in.token_types), f(in.positions), f(in.wanted), f(b.targets);
}
inline int64_t counted(const EncoderBatch& b) { return b.count; }
EncoderBatch encoder_batch(const LabelBatch& batch);
EncoderBatch encoder_batch(const SpanBatch& batch);
EncoderBatch encoder_batch(const MaskedBatch& batch);
EncoderBatch encoder_batch(const ImageBatch& batch);
EncoderBatch encoder_batch(const SeriesBatch& batch);

// Sentences as this tokenizer sees them.
TagData tag_data(const TaggedTexts& texts, const std::vector<std::string>& classes,
                 const Tokenizer& tokenizer, int64_t context);

// Examples to train on and to validate with, behind functions.
struct EncoderExamples {
  int64_t examples = 0, valid_items = 0;
  std::function<EncoderBatch(std::span<const Pick>)> batch;
  std::function<EncoderBatch(int64_t first, int64_t count)> valid_batch;  // in order
  std::string about = {};                                                 // TrainTask::data
};

// Loss, validation and, for the metrics accuracy and f1, the score; the model is written with
// `save_more` beside it. `model` must outlive the task.
struct EncoderTaskOptions {
  int64_t batch = 16;
  std::string metric = "loss";
  double label_smoothing = 0;  // of the loss to train by; validation has none
  std::function<void(const std::string& directory)> save_more = {};
};
TrainTask encoder_task(const Model& model, EncoderExamples examples,
                       const EncoderTaskOptions& options);

// Of items 0 .. count-1, `batch` at a time, in order.
using BatchAt = std::function<EncoderBatch(int64_t first, int64_t count)>;
struct EncoderScores {
  double loss = 0;       // mean over the targets that count
  int64_t targets = 0;   // how many they are
  ClassScore classes;    // of a classifier, or of each word
  EntityScore entities;  // of tags that mark them
  bool by_entities = false;
  double f1() const { return by_entities ? entities.f1() : classes.macro_f1; }
  ForecastScore values;  // of a forecast
};
EncoderScores score_encoder(const Model& model, int64_t items, int64_t batch, const BatchAt& at,
                            Run& run, const std::function<void(int64_t)>& progress = {});

}  // namespace jogak
