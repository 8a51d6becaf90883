// `jogak classify`: labels of texts, of each of their tokens, or of images.
#pragma once

#include <functional>

#include "app/use/text_encoder.h"

namespace jogak {

struct ClassifyCommand {
  std::string directory;
  size_t top_k = 1;
  bool pair = false;   // a line holds two texts, a tab between them
  bool words = false;  // of a model that labels tokens: words between blanks, not tokens
  bool json = false;
  size_t batch = 32;
  std::function<void(const std::string&)> line = {};  // takes a line of the result
  std::function<void()> flush = {};                   // a bunch of lines is finished
};

// A function that writes for each text its likeliest labels, a line each: label, score and text,
// with tabs between; of a model that labels tokens: token, label and score, an empty line after
// each text. With json {"schema","text","predictions":[{"label","score"}]}; of tokens each
// prediction has "word", "start" and "end" (characters of the text) as well. A word has the label
// of its first token, which is the one that `jogak train` trains.
TakeLines classify_lines(const ClassifyCommand& command);

}  // namespace jogak
