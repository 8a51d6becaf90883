// A language model that is open: it continues any number of texts.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "generate/generated.h"
#include "generate/settings.h"

namespace jogak {

struct GenerateRequest;
struct Model;
class Tokenizer;

struct GenerateOptions {
  GenerationSettings settings = {};  // count before what the directory says
  uint64_t seed = 0;
  size_t candidates = 0;  // how many of each new token's to give with the text
  // Pieces of text as they come, whole characters only; empty: not streamed.
  std::function<void(std::string_view)> on_text = {};
  const std::atomic<bool>* stop_flag = nullptr;  // set it, and Stopped is thrown
};

class Generator {
 public:
  // `dtype` of the weights: auto (as they are stored), f32 or bf16. FormatError for a model that
  // does not continue text, naming the command that runs it.
  explicit Generator(const std::string& directory, const std::string& dtype = "auto");
  ~Generator();
  Generator(Generator&&) noexcept;
  Generator& operator=(Generator&&) noexcept;

  // The continuation, without the prompt; of several (num_return_sequences) the best or the first.
  // An empty prompt stands for the token that begins a text (bos_token_id, or an end).
  Generated generate(const std::string& prompt, const GenerateOptions& options = {}) const;
  // All of them. Streamed is only a text that is alone and not searched by beams.
  std::vector<Generated> texts(const std::string& prompt, const GenerateOptions& options) const;
  // After tokens: a prompt that is cut already, such as a conversation's (chat.h).
  std::vector<Generated> texts(const std::vector<int>& prompt,
                               const GenerateOptions& options) const;
  bool gives_several(const GenerateOptions& options) const;

  // The same as a Batcher takes it, which writes many texts at once; beams are not its matter.
  GenerateRequest request(const std::string& prompt, const GenerateOptions& options = {}) const;
  GenerateRequest request(const std::vector<int>& prompt, const GenerateOptions& options) const;
  std::vector<int> prompt_ids(const std::string& prompt) const;

  const Model& model() const;
  const Tokenizer& tokenizer() const;
  // What the directory says of how texts are made: generation_config.json, else config.json.
  const GenerationSettings& settings() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// {"schema","text","ids","finish_reason"}, and "candidates" when there are: of each new token those
// it was chosen from, [[id, probability], ..], likeliest first.
Json to_json(const Generated& generated);
// The same of the first, and "texts" with all of them when there are several.
Json to_json(const std::vector<Generated>& all);

}  // namespace jogak
