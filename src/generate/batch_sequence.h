// One text of a Batcher: what it asked for, how far it is, what it became.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "generate/request.h"
#include "generate/score_rules.h"
#include "generate/text_stream.h"

namespace jogak {

struct BatchSequence {
  GenerateRequest request;
  Rng rng;
  std::vector<int> tokens;  // prompt and new
  size_t seen = 0;          // of them, how many the cache has
  int64_t most_new;
  std::optional<TextStream> text;
  std::unique_ptr<TokenGuide> guide;
  int cached = -1;  // its number in the cache
  Generated result;

  BatchSequence(GenerateRequest r, int64_t most);

  bool open() const { return result.finish_reason == FinishReason::running; }
  bool reads() const { return seen < request.prompt.size(); }  // not the whole prompt yet
  // Whether the highest score decides, and nothing else is looked at.
  bool takes_the_best() const;
  // How many of the last `count` tokens' scores it wants to see.
  int64_t wants(size_t count) const {
    return request.prompt_chances && reads() ? static_cast<int64_t>(count) : 1;
  }

  void hear_prompt(std::span<const float> scores, size_t place);  // those behind tokens[place]
  int choose(std::span<const float> logits);                      // the next token
  void take(int id);

 private:
  TextSoFar so_far() const;
  void show(const std::string& piece);
  void finish(FinishReason reason);
};

}  // namespace jogak
