#include "app/use/completion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/model.h"
#include "app/use/forward.h"
#include "app/use/generation.h"
#include "autograd/autograd.h"
#include "generate/batcher.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

// Log probabilities of one row of scores: of the likeliest, and of one more.
TokenChances chances_in(const float* row, int64_t vocab, int chosen, int best) {
  const float largest = *std::max_element(row, row + vocab);
  double total = 0;
  for (int64_t i = 0; i < vocab; ++i) total += std::exp(static_cast<double>(row[i]) - largest);
  const double log_total = static_cast<double>(largest) + std::log(total);
  const auto of = [&](int id) { return static_cast<float>(row[id] - log_total); };
  TokenChances out{.chosen = {chosen, of(chosen)}, .known = true};
  std::vector<int> order(static_cast<size_t>(vocab));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto most = std::min<int64_t>(best, vocab);
  std::partial_sort(order.begin(), order.begin() + most, order.end(),
                    [&](int a, int b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
  for (int64_t i = 0; i < most; ++i) {
    const int id = order[static_cast<size_t>(i)];
    out.best.push_back({id, of(id)});
  }
  return out;
}

}  // namespace

std::vector<TokenChances> chances_of(const Model& model, const std::vector<int>& ids, int best,
                                     const std::atomic<bool>* stop) {
  std::vector<TokenChances> out(ids.size());
  if (ids.empty()) return out;
  out[0].chosen.id = ids[0];
  if (ids.size() == 1) return out;
  const NoGrad quiet;
  Run run;
  run.stop = stop;
  const std::vector<int64_t> wide(ids.begin(), ids.end() - 1);
  const Tensor row = from_values(wide, {1, static_cast<int64_t>(wide.size())});
  const Tensor logits =
      forward(model, ForwardInputs(NamedTensors{{"input_ids", row}}), run).named.at(0).second;
  const int64_t V = logits.dim(-1);
  const std::vector<float> scores = to_host<float>(logits);
  for (size_t i = 1; i < ids.size(); ++i)
    out[i] = chances_in(scores.data() + static_cast<int64_t>(i - 1) * V, V, ids[i], best);
  return out;
}

int64_t context_of(const Generator& generator) { return generator.model().causal.cache.context; }

int64_t vocab_of(const Generator& generator) { return generator.model().vocab; }

std::string text_of_ids(const Generator& generator, const std::vector<int>& ids) {
  return generator.tokenizer().decode(ids, false);
}

std::vector<int> encoded_ids(const Tokenizer& tokenizer, const std::string& text, bool special) {
  return tokenizer.encode_ids(text, {.add_special = special});
}

Json tokenizer_roles(const Generator& generator) {
  Json out = Json::object();
  for (const auto& [role, token] : generator.tokenizer().roles()) out.set(role, token);
  return out;
}

std::string token_text(const Tokenizer& tokenizer, int id) {
  const std::string text = tokenizer.decode({&id, 1}, false);
  if (!text.empty() && text.find("\xEF\xBF\xBD") == std::string::npos) return text;
  return std::string(tokenizer.id_to_token(id).value_or(""));
}

std::vector<Completion> complete(const Generator& generator, const CompletionRequest& request) {
  const Model& model = generator.model();
  std::vector<Completion> out(request.prompts.size() * static_cast<size_t>(request.count));
  if (request.max_new > 0) {
    Batcher batcher(model.causal, &generator.tokenizer(), {}, request.options.stop_flag);
    std::vector<int64_t> handles;
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t count = static_cast<size_t>(request.count);
      GenerateRequest one = generator.request(request.prompts[i / count], request.options);
      one.stream = i % count;
      one.max_new = request.max_new;
      one.rules.presence_penalty = request.presence_penalty;
      one.rules.frequency_penalty = request.frequency_penalty;
      if (request.on_text)
        one.on_text = [&request, i](std::string_view piece) { request.on_text(i, piece); };
      handles.push_back(batcher.add(std::move(one)));
    }
    batcher.finish_all();
    for (size_t i = 0; i < out.size(); ++i) out[i].made = batcher.take(handles[i]);
  } else {
    for (Completion& one : out) one.made.finish_reason = FinishReason::length;
  }
  if (request.logprobs < 0) return out;
  for (size_t i = 0; i < out.size(); ++i) {
    const std::vector<int>& prompt = request.prompts[i / static_cast<size_t>(request.count)];
    std::vector<int> all = prompt;
    all.insert(all.end(), out[i].made.ids.begin(), out[i].made.ids.end());
    std::vector<TokenChances> chances =
        chances_of(model, all, request.logprobs, request.options.stop_flag);
    const auto middle = chances.begin() + static_cast<ptrdiff_t>(prompt.size());
    out[i].text.assign(std::make_move_iterator(middle), std::make_move_iterator(chances.end()));
    if (request.prompt_logprobs)
      out[i].prompt.assign(std::make_move_iterator(chances.begin()),
                           std::make_move_iterator(middle));
  }
  return out;
}

}  // namespace jogak
