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
#include "generate/options.h"

namespace jogak {

struct GenerateRequest;
struct Model;
class Tokenizer;

struct GenerateOptions {
  int64_t predict = 128;  // most new tokens; 0: until the context is full
  SamplingOptions sampling = {.temperature = 0.8, .top_k = 40, .top_p = 0.95};
  int beams = 1;                       // above 1: beam search instead of sampling
  std::vector<std::string> stop = {};  // strings that end the text and are not part of it
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

  // The continuation, without the prompt. An empty prompt begins after an end token.
  Generated generate(const std::string& prompt, const GenerateOptions& options = {}) const;

  // The same as a Batcher takes it, which writes many texts at once; beams are not its matter.
  GenerateRequest request(const std::string& prompt, const GenerateOptions& options = {}) const;

  const Model& model() const;
  const Tokenizer& tokenizer() const;
  const std::vector<int>& end_ids() const;  // tokens that end a text

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// {"schema","text","ids","finish_reason"}
Json to_json(const Generated& generated);

}  // namespace jogak
