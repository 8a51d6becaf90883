// A model that reads whole texts or images and is open: it fills in hidden words, gives labels and
// vectors, to any number of them.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/data/text_line.h"
#include "app/use/answers.h"
#include "app/use/pooling.h"
#include "base/json.h"

namespace jogak {

struct Model;

struct FillOptions {
  size_t top_k = 5;                         // words for each mask
  size_t batch = 32;                        // texts in one pass
  const std::atomic<bool>* stop = nullptr;  // set it, and Stopped is thrown
};
struct FilledWord {
  std::string word;
  double score = 0;
  size_t mask = 0;          // which of the text's masks, from 0
  int id = 0;               // the token
  size_t from = 0, to = 0;  // bytes of the text that are the mask
};
struct FilledText {
  std::string text;
  std::vector<FilledWord> words = {};  // of each mask the likeliest first

  std::string with(const FilledWord& word) const {  // the text with the word in place of its mask
    return text.substr(0, word.from) + word.word + text.substr(word.to);
  }
};

struct ClassifyOptions {
  size_t top_k = 1;
  bool pair = false;   // a line holds two texts, a tab between them
  bool words = false;  // of a model that labels tokens: words between blanks, not tokens
  // Of a model that matches images and texts: what may be on an image, in words.
  std::vector<std::string> labels = {};
  size_t batch = 32;
  const std::atomic<bool>* stop = nullptr;
};
struct LabelScore {
  std::string label;
  double score = 0;
};
struct TokenLabel {  // of a token, or of a word
  LabelScore best = {};
  std::string word;
  size_t start = 0, end = 0;  // characters of the text
};
struct Classification {
  std::string input;  // the text; of an image the name of its file
  bool image = false;
  std::vector<LabelScore> labels = {};  // the likeliest first
  std::vector<TokenLabel> tokens = {};  // instead, of a model that labels tokens
};

struct EmbedOptions {
  std::optional<Pool> pool = {};       // as the directory says, else the mean; of images cls
  std::optional<bool> normalize = {};  // as the directory says, else no
  bool texts = false;                  // of a model that matches images and texts: not images
  size_t batch = 32;
  const std::atomic<bool>* stop = nullptr;
};
struct InputVector {
  std::string input;
  bool image = false;
  std::vector<float> vector = {};
};

struct Similarity {
  std::string input;
  bool image = false;
  double cosine = 0;  // of two vectors
};
Similarity similarity(const std::vector<float>& to, const InputVector& of);

struct AnswerOptions {
  size_t top_k = 1;
  size_t tokens = 30;  // most of an answer
  size_t batch = 32;
  const std::atomic<bool>* stop = nullptr;
};
struct AnsweredText {
  std::string question, text;
  std::vector<Answer> answers = {};  // the likeliest first
};

struct RankOptions {
  size_t batch = 32;
  const std::atomic<bool>* stop = nullptr;
};
struct RankedText {
  std::string text;
  size_t index = 0;  // where it stood, from 0
  double score = 0;
};

class Encoder {
 public:
  // FormatError for a model of another kind, naming the command that runs it. A directory of
  // sentence-transformers opens as the model it holds.
  explicit Encoder(const std::string& directory);
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;

  bool reads_images() const;
  bool labels_tokens() const;

  // FormatError unless the model can do it, UsageError for options that are not for this model. The
  // functions below ask this first.
  void check(const FillOptions& options) const;
  void check(const ClassifyOptions& options) const;
  void check(const AnswerOptions& options) const;
  void check(const RankOptions& options) const;

  std::vector<FilledText> fill(std::span<const TextLine> texts,
                               const FillOptions& options = {}) const;

  // Where the model reads images, a text is the name of a file, PNG, JPEG or IDX; of an IDX file
  // every image is taken and called "file#number". What is done to an image first is what
  // preprocessor_config.json says, else as `jogak train` does. A word has the label of its first
  // token, which is the one that `jogak train` trains.
  std::vector<Classification> classify(std::span<const TextLine> inputs,
                                       const ClassifyOptions& options = {}) const;
  std::vector<InputVector> embed(std::span<const TextLine> inputs,
                                 const EmbedOptions& options = {}) const;

  // What in each text answers the question. A text longer than the model reads is read in parts
  // that overlap.
  std::vector<AnsweredText> answer(const std::string& question, std::span<const TextLine> texts,
                                   const AnswerOptions& options = {}) const;
  // The texts by how well they fit the query, best first: a cross-encoder reads both together. The
  // score is what sentence-transformers gives.
  std::vector<RankedText> rank(const std::string& query, std::span<const TextLine> texts,
                               const RankOptions& options = {}) const;
  int64_t count_tokens(std::span<const std::string> texts) const;  // as the model reads them

  const Model& model() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// {"schema","text","predictions":[{"label","score","mask","id"}]}
Json to_json(const FilledText& filled);
// {"schema","text","predictions":[{"label","score"}]}, "image" instead of "text" of a file; of
// tokens each prediction has "word", "start" and "end" as well.
Json to_json(const Classification& classification);
Json to_json(const InputVector& embedding);  // {"schema","text" or "image","embedding"}
// {"schema","question","text","answers":[{"answer","score","start","end"}]}
Json to_json(const AnsweredText& answered);
// {"schema","query","results":[{"index","score","text"}]}
Json to_json(const std::string& query, std::span<const RankedText> ranked);
Json to_json(const Similarity& similarity);  // {"schema","text" or "image","cosine"}

}  // namespace jogak
