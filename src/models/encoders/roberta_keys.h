// What RoBERTa, XLM-RoBERTa and MPNet have in common: the names of their heads, and positions that
// begin behind the padding's.
#pragma once

#include "models/encoders/bert_keys.h"

namespace jogak {

// transformers' classes, behind "Roberta", "XLMRoberta" or "MPNet".
struct RobertaClasses {
  const char *none, *masked, *sequence, *tokens, *spans;
};

inline ConfigWords<BertHead> head_words(const RobertaClasses& classes) {
  return {{BertHead::none, classes.none},
          {BertHead::masked, classes.masked},
          {BertHead::sequence, classes.sequence},
          {BertHead::tokens, classes.tokens},
          {BertHead::spans, classes.spans}};
}

inline BertStyle roberta_style(const char* name, const char* title) {
  return {.name = name,
          .title = title,
          .transform = "lm_head.dense",
          .transform_norm = "lm_head.layer_norm",
          .decoder = "lm_head.decoder",
          .bias = "lm_head",
          .transform_activation = Activation::gelu,
          .label_dense = "classifier.dense",
          .drop_first = true,
          .labels = "classifier.out_proj",
          .places_after_pad = true};
}

// Of the context two places are the padding's: tiny has 128 of them for tokens.
inline Family roberta_record(const char* type, const char* prefix, const RobertaClasses& classes) {
  return {.name = type,
          .model_type = type,
          .architecture = classes.masked,
          .names = {.prefix = prefix,
                    .outside = {"lm_head.*", "classifier.*", "qa_outputs.*"},
                    // A tied head may stand in a file a second time.
                    .ignored = {"embeddings.position_ids", "lm_head.decoder.*"}},
          .presets = {{"tiny", text_size(2, 2, 64, 130)},
                      {"small", text_size(4, 4, 128, 258)},
                      {"base", text_size(12, 12, 768, 514)}},
          .lora_targets = {"query", "value"},
          .heads = {{EncoderTask::fill, classes.masked},
                    {EncoderTask::classify, classes.sequence, {"classifier"}},
                    {EncoderTask::tag, classes.tokens, {"classifier"}},
                    {EncoderTask::answer, classes.spans, {"qa_outputs"}}},
          .head_weights = {"classifier.*", "pooler.*", "lm_head.*", "qa_outputs.*"}};
}

}  // namespace jogak
