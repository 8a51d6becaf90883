// A model that reads texts and writes none, with its tokenizer: texts in, batches for it out.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/data/text_lines.h"
#include "app/models/model.h"
#include "text/tokenizer.h"

namespace jogak {

struct TextEncoder {
  Model model;
  Tokenizer tokenizer;
  int64_t longest = 0;  // most tokens of a text, special ones included

  const EncoderModel& encoder() const { return model.encoder; }
  // A longer text is cut, and a warning says so. `second`: the other text of a pair.
  Encoding encode(const TextLine& line, std::string_view text,
                  const std::string* second = nullptr) const;
};

// Refuses a model of another kind, naming the command that fits it. The longest text is what
// tokenizer_config.json says, if that is less than the model reads.
TextEncoder open_text_encoder(const std::string& directory);
TextEncoder text_encoder_of(Model model, const std::string& directory);  // of one that is open

// Texts of like length together, at most `rows`: each batch with the numbers of its texts.
struct EncodedBatch {
  std::vector<size_t> which;
  EncoderInput input;  // filled up on the right, with a mask
};
void for_batches(std::span<const Encoding> texts, size_t rows,
                 const std::function<void(const EncodedBatch&)>& run);

// Which command runs this model: "jogak generate".
std::string command_for(const Model& model);

}  // namespace jogak
