// Texts as clients of the OpenAI interface ask for them: several prompts, several texts of each,
// and how likely each token was.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/use/generator.h"

namespace jogak {

struct CompletionRequest {
  std::vector<std::vector<int>> prompts = {};  // tokens of the model's vocabulary
  int count = 1;                               // texts of each prompt
  int64_t max_new = 16;                        // 0: only the prompts are looked at
  GenerateOptions options = {};                // on_text is not used
  double presence_penalty = 0, frequency_penalty = 0;
  bool prompt_logprobs = false;  // also of the prompt's tokens
  int logprobs = -1;             // so many of the likeliest beside each token; -1: none
  // Pieces of text as they come, whole characters only, by number: prompt * count + text.
  std::function<void(size_t index, std::string_view piece)> on_text = {};
};

struct TokenChance {
  int id = 0;
  float logprob = 0;
};

// How likely the model held a token, and what it held likeliest there, best first. The chosen one
// has the same float in both places.
struct TokenChances {
  TokenChance chosen = {};
  bool known = false;  // nothing stands before the first token of a text
  std::vector<TokenChance> best = {};
};

struct Completion {
  Generated made = {};
  std::vector<TokenChances> prompt = {}, text = {};  // where they were asked for
};

// In the order of prompts and texts. UsageError where a prompt does not fit the context.
std::vector<Completion> complete(const Generator& generator, const CompletionRequest& request);

// Of every token after the ones before it, by one pass over all of them.
std::vector<TokenChances> chances_of(const Model& model, const std::vector<int>& ids, int best,
                                     const std::atomic<bool>* stop);

int64_t context_of(const Generator& generator);  // tokens of a text, the prompt included
int64_t vocab_of(const Generator& generator);
std::string text_of_ids(const Generator& generator, const std::vector<int>& ids);
std::vector<int> encoded_ids(const Tokenizer& tokenizer, const std::string& text, bool special);
Json tokenizer_roles(const Generator& generator);  // {"bos_token": "<s>", ..}
// What the tokenizer makes of one token alone; its name where that is not text.
std::string token_text(const Tokenizer& tokenizer, int id);

}  // namespace jogak
