#include "generate/batch_sequence.h"

#include <algorithm>

#include "generate/sampling.h"
#include "generate/token_chances.h"

namespace jogak {

BatchSequence::BatchSequence(GenerateRequest r, int64_t most)
    : request(std::move(r)),
      rng(request.sampling.seed, request.stream),
      tokens(request.prompt),
      most_new(most) {
  if (request.guide) guide = request.guide();
  if (!request.prompt_chances) return;
  result.prompt_chances.resize(tokens.size());
  result.prompt_chances[0].chosen.id = tokens[0];
}

TextSoFar BatchSequence::so_far() const {
  const size_t prompt = request.prompt.size();
  return {.tokens = tokens,
          .prompt = prompt,
          .source = request.prompt,
          .most = static_cast<int64_t>(prompt) + most_new,
          .ends = request.eos_ids};
}

bool BatchSequence::takes_the_best() const {
  if (request.sampling.temperature > 0 || request.show > 0) return false;
  if (request.chances >= 0 || guide) return false;
  const auto forbidden = only_forbidden(request.rules, so_far());
  return forbidden && forbidden->empty();
}

void BatchSequence::hear_prompt(std::span<const float> scores, size_t place) {
  if (!request.prompt_chances || place + 1 >= request.prompt.size()) return;
  result.prompt_chances[place + 1] = chances_in(
      scores, tokens[place + 1], static_cast<size_t>(std::max<int64_t>(0, request.chances)));
}

int BatchSequence::choose(std::span<const float> logits) {
  std::vector<float> scores(logits.begin(), logits.end());
  apply(request.rules, so_far(), scores);
  if (guide) guide->narrow(scores, most_new - std::ssize(result.ids));
  if (request.show > 0) result.candidates.push_back(shown(scores, request.sampling, request.show));
  const int id = pick(scores, request.sampling, rng);
  if (request.chances >= 0)
    result.chances.push_back(chances_in(logits, id, static_cast<size_t>(request.chances)));
  return id;
}

void BatchSequence::show(const std::string& piece) {
  if (piece.empty()) return;
  result.text += piece;
  if (request.on_text) request.on_text(piece);
}

void BatchSequence::finish(FinishReason reason) {
  const std::string rest = text ? text->finish() : std::string();
  result.finish_reason = text && text->stopped() ? FinishReason::stop : reason;
  show(rest);
}

void BatchSequence::take(int id) {
  tokens.push_back(id);
  result.ids.push_back(id);
  const auto& ends = request.eos_ids;
  if (std::find(ends.begin(), ends.end(), id) != ends.end()) return finish(FinishReason::stop);
  if (guide) guide->take(id);
  if (text) {
    const std::string piece = text->push(id);
    if (text->stopped()) result.finish_reason = FinishReason::stop;
    show(piece);
  }
  if (open() && guide && guide->whole()) return finish(FinishReason::stop);
  if (open() && std::ssize(result.ids) == most_new) finish(FinishReason::length);
}

}  // namespace jogak
