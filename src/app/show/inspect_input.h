// A model to look into, and an input for it from what a user gives: a text, an image, a CSV, or
// named tensors as `jogak forward` takes them.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "app/use/forward.h"
#include "look/views.h"
#include "text/pair_tokenizer.h"

namespace jogak {

struct InputChoice {
  std::string text = {}, target = {};  // target: of a translation; empty: what the model writes
  std::string image = {}, csv = {}, file = {};  // names of files
  std::string image_bytes = {}, csv_text = {};  // or what would be in them
  std::string label = {};                       // of a classifier; empty: what it says itself
  int64_t length = 0;                           // without any input: so many tokens; 0: few
  const std::atomic<bool>* stop = nullptr;      // set it, and Stopped is thrown
  bool empty() const { return text.empty() && !has_image() && !has_csv() && file.empty(); }
  bool has_image() const { return !image.empty() || !image_bytes.empty(); }
  bool has_csv() const { return !csv.empty() || !csv_text.empty(); }
};

struct InspectInput {
  NamedTensors tensors;
  TokenNames names;  // of the first row
  ForwardInputs inputs() const { return ForwardInputs(tensors); }
  bool has(std::string_view name) const { return inputs().has(name); }
};

void name_patches(const Model& model, InspectInput& input);  // of an image: "[CLS]", "0,0", "0,1"

class InspectSubject {
 public:
  explicit InspectSubject(const std::string& directory);

  const Model& model() const { return model_; }
  const std::string& directory() const { return directory_; }
  // Of what answers, or of a translator what it reads; null: none.
  const Tokenizer* tokenizer(bool source = false) const;
  // UsageError when the choice is not of the model's kind, or nothing was chosen and it is needed.
  InspectInput input(const InputChoice& choice) const;
  // The same, or one without meaning when nothing was chosen.
  InspectInput input_or_any(const InputChoice& choice) const;
  // With something to answer to, where there is none: a classifier's own answer, or --label.
  void add_labels(InspectInput& input, const InputChoice& choice) const;
  std::string token(int64_t id) const;  // what an answer says: a token, or a label
  std::string needed_input() const;     // "--text TEXT"

 private:
  InspectInput from_text(const InputChoice& choice) const;
  InspectInput from_both(const InputChoice& choice) const;
  InspectInput from_pair(const InputChoice& choice) const;
  InspectInput from_image(const InputChoice& choice) const;
  InspectInput from_csv(const InputChoice& choice) const;
  InspectInput from_file(const std::string& path) const;
  InspectInput from_nothing(int64_t length) const;
  void name_tokens(InspectInput& input) const;
  void need_tokenizer() const;

  std::string directory_;
  Model model_;
  std::optional<Tokenizer> tokenizer_;
  std::optional<PairTokenizer> pair_;
};

}  // namespace jogak
