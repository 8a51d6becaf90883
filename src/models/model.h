// A model of any family, as everything above sees it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/json.h"
#include "nn/causal_model.h"
#include "nn/encoder_model.h"
#include "nn/match_model.h"
#include "nn/params.h"
#include "nn/seq2seq_model.h"

namespace jogak {

struct Model {
  std::string model_type;             // Hugging Face's: "gpt2"
  Json config;                        // as config.json has it
  std::unique_ptr<ParamStore> store;  // every weight
  std::string base;                   // with adapters: the directory they belong to
  int64_t layers = 0, width = 0, vocab = 0;
  int64_t context = 0;  // most tokens of a text
  // Most tokens of an answer, as generation_config.json shall say it; 0: the context.
  int64_t longest_answer = 0;

  // What it can do. A language model continues text; its forward is empty in other families.
  CausalModel causal;
  // The sum of the losses of the targets that count (i64 [B, T], -100: not), ready for backward.
  std::function<Tensor(const Tensor& ids, const Tensor& targets, double label_smoothing, Run& run)>
      loss_sum;
  // What a language model would say after any of its layers [B, T, C], as if it were the last:
  // logits [B, T, V].
  std::function<Tensor(const Tensor& hidden, Run& run)> read;
  // An encoder-decoder translates; its encode is empty in other families.
  Seq2SeqModel seq2seq;
  bool translates() const { return seq2seq.encode != nullptr; }
  // An encoder fills in, classifies, embeds or forecasts; its hidden is empty in other families.
  EncoderModel encoder;
  bool encodes() const { return encoder.hidden != nullptr; }
  // One that reads images and texts, too, tells which go together; its image is empty elsewhere.
  MatchModel match;
  bool matches() const { return match.image != nullptr; }
};

}  // namespace jogak
