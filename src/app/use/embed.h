// `jogak embed`: a vector for each text or image.
#pragma once

#include <functional>
#include <optional>

#include "app/use/pooling.h"
#include "app/use/text_encoder.h"

namespace jogak {

struct EmbedCommand {
  std::string directory;
  std::optional<Pool> pool = {};       // as the directory says, else the mean; of images cls
  std::optional<bool> normalize = {};  // as the directory says, else no
  bool json = false;
  bool compare = false;  // the cosine of each text with the first, instead of vectors
  size_t batch = 32;
  std::function<void(const std::string&)> line = {};  // takes a line of the result
  std::function<void()> flush = {};                   // a bunch of lines is finished
};

// Vectors of texts, whatever their number.
class TextEmbedder {
 public:
  TextEmbedder(const EmbedCommand& command, SentenceModules modules, Model model);
  std::vector<std::vector<float>> operator()(std::span<const TextLine> lines) const;

 private:
  SentenceModules modules_;
  TextEncoder texts_;
  size_t batch_;
};

// A function that writes a line for each text: numbers with a space between them; with json
// {"schema","text","embedding"}; with compare the cosine, a tab and the text, or
// {"schema","text","cosine"}. A model of images takes a text as the name of a file, PNG, JPEG or
// IDX; its lines have "image" instead of "text".
TakeLines embed_lines(const EmbedCommand& command);

}  // namespace jogak
