// Texts as clients of the OpenAI interface ask for them: several prompts, several texts of each,
// and how likely each token was.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/use/generator.h"
#include "generate/json_guide.h"

namespace jogak {

struct CompletionRequest {
  std::vector<std::vector<int>> prompts = {};  // tokens of the model's vocabulary
  int count = 1;                               // texts of each prompt
  int64_t max_new = 16;                        // 0: only the prompts are looked at
  GenerateOptions options = {};                // on_text is not used
  double presence_penalty = 0, frequency_penalty = 0;
  bool prompt_logprobs = false;  // also of the prompt's tokens
  int logprobs = -1;             // so many of the likeliest beside each token; -1: none
  std::string json_schema = {};  // the texts are JSON: "{}" any object; empty: any text
  uint64_t client = 0;           // who asks
  // Pieces of text as they come, whole characters only, by number: prompt * count + text.
  std::function<void(size_t index, std::string_view piece, const Generated& so_far)> on_text = {};
  // Once, with all texts in order of prompts, or with what went wrong.
  std::function<void(std::vector<Generated> made, std::exception_ptr wrong)> on_done = {};
};

// As a Batcher takes them. UsageError where a prompt does not fit the context.
std::vector<GenerateRequest> requests_of(const Generator& generator,
                                         const CompletionRequest& request);

int64_t context_of(const Generator& generator);  // tokens of a text, the prompt included
int64_t vocab_of(const Generator& generator);
std::string text_of_ids(const Generator& generator, const std::vector<int>& ids);
std::vector<int> encoded_ids(const Tokenizer& tokenizer, const std::string& text, bool special);
Json tokenizer_roles(const Generator& generator);  // {"bos_token": "<s>", ..}
// What the tokenizer makes of one token alone; its name where that is not text.
std::string token_text(const Tokenizer& tokenizer, int id);
// The bytes a token stands for, which may be a part of a character.
std::string token_bytes(const Tokenizer& tokenizer, int id);
// Of all tokens that are text, as a guide takes them.
std::shared_ptr<const TokenBytes> token_table(const Generator& generator);

}  // namespace jogak
