// Texts for a model that reads them whole: its tokenizer, how much it reads, and batches.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/data/text_line.h"
#include "app/models/model.h"
#include "text/tokenizer.h"

namespace jogak {

struct TextReader {
  Tokenizer tokenizer;
  int64_t longest = 0;     // most tokens of a text, special ones included
  bool cuts_left = false;  // transformers would keep the end of a longer one

  // A text of more than `most` tokens (0: the longest) is cut, and a warning says so. `second`: the
  // other text of a pair.
  Encoding encode(const TextLine& line, std::string_view text, const std::string* second = nullptr,
                  int64_t most = 0) const;
};

// The longest text is what tokenizer_config.json says, if that is less than the model reads.
TextReader open_text_reader(const Model& model, const std::string& directory);

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
