// How well a model did on data, by what it does.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <variant>

#include "base/json.h"
#include "score/exact_match.h"
#include "score/translation.h"

namespace jogak {

// Of a model of text, or of masked text: {"schema","loss","perplexity","tokens"}; of lines also
// {"exact_match","lines"}: the share whose greedy completion is the answer, character for
// character.
struct TextEval {
  double loss = 0;  // mean over the tokens
  int64_t tokens = 0;
  std::optional<ExactMatch> exact = {};  // of lines
  double perplexity() const { return std::exp(loss); }
};

// {"schema","bleu","chrf","signature",..,"loss","perplexity","tokens","beams","length_penalty",
// "exact_match"}: see score.h
struct PairEval {
  TranslationScore score = {};
  double loss = 0;
  int64_t tokens = 0;  // of the targets
  int beams = 0;       // of the search that was scored
  double length_penalty = 1;
  ExactMatch exact = {};
  double perplexity() const { return std::exp(loss); }
};

// {"schema","loss","accuracy","f1","examples"}
struct LabelEval {
  double loss = 0, accuracy = 0, f1 = 0;  // f1: the mean over the classes
  int64_t examples = 0;
};

// {"schema","loss","accuracy","f1","words"}, of tags that mark entities also
// {"precision","recall","entities"}, and f1 is theirs.
struct TagEval {
  struct Entities {
    double precision = 0, recall = 0;
    int64_t count = 0;
  };
  double loss = 0, accuracy = 0, f1 = 0;
  std::optional<Entities> entities = {};
  int64_t words = 0;
};

// Of images with captions: how often the own text, or image, is the likeliest of a batch:
// {"schema","loss","image_to_text","text_to_image","pairs","batch"}
struct MatchEval {
  double loss = 0, image_to_text = 0, text_to_image = 0;
  int64_t pairs = 0, batch = 0;
};

// Of questions whose answers stand in a text: {"schema","loss","exact_match","f1","questions"}, as
// SQuAD's script counts.
struct SpanEval {
  double loss = 0, exact_match = 0, f1 = 0;
  int64_t questions = 0;
};

// Over every window of the part, beside the errors of repeating the last value:
// {"schema","mse","mae","windows","part","mse_repeat","mae_repeat"}
struct SeriesEval {
  double mse = 0, mae = 0;
  int64_t windows = 0;
  std::string part;
  double mse_repeat = 0, mae_repeat = 0;
};

using EvalResult =
    std::variant<TextEval, PairEval, LabelEval, TagEval, SeriesEval, SpanEval, MatchEval>;
Json to_json(const EvalResult& result);

}  // namespace jogak
