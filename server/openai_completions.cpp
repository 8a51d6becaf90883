// /v1/completions: prompts as texts or tokens, whole or as a stream.
#include <algorithm>
#include <ctime>

#include "server/openai.h"

namespace jogak::server {
namespace {

constexpr size_t kMostPrompts = 256;

std::vector<int> ids_of(const Json& list, int64_t vocab) {
  std::vector<int> out;
  for (const Json& id : list.items()) {
    if (!id.is_integer() || id.integer() < 0 || id.integer() >= vocab)
      throw BadField("prompt", text_of("found ", id.is_integer() ? id.dump() : id.kind_name(),
                                       " as a token, wanted 0 to ", vocab - 1));
    out.push_back(static_cast<int>(id.integer()));
  }
  if (out.empty()) throw BadField("prompt", "found no tokens, wanted at least one");
  return out;
}

std::vector<std::vector<int>> prompts_of(Ask& ask, const Generator& generator) {
  const Json* prompt = ask.find("prompt");
  const int64_t vocab = vocab_of(generator);
  if (!prompt) return {generator.prompt_ids("")};
  if (prompt->is_string()) return {generator.prompt_ids(prompt->text())};
  if (!prompt->is_array())
    throw BadField("prompt", text_of("found ", prompt->kind_name(), ", wanted a string or a list"),
                   "invalid_type");
  const std::vector<Json>& items = prompt->items();
  if (items.empty()) throw BadField("prompt", "found an empty list");
  if (items[0].is_integer()) return {ids_of(*prompt, vocab)};
  if (items.size() > kMostPrompts)
    throw BadField("prompt", text_of("found ", items.size(), ", wanted at most ", kMostPrompts));
  std::vector<std::vector<int>> out;
  for (const Json& one : items) {
    if (!one.is_string() && !one.is_array())
      throw BadField(
          "prompt",
          text_of("found ", one.kind_name(), " in the list, wanted strings or", " lists of tokens"),
          "invalid_type");
    out.push_back(one.is_string() ? generator.prompt_ids(one.text()) : ids_of(one, vocab));
  }
  return out;
}

// {"tokens","token_logprobs","top_logprobs","text_offset"}; lm_eval compares the value of a token
// with the largest beside it, so both are written from the same float.
Json logprobs_json(const Completion& one, const Tokenizer& tokenizer, size_t from) {
  Json tokens = Json::array(), values = Json::array(), best = Json::array();
  Json offsets = Json::array();
  for (const auto* list : {&one.prompt, &one.text})
    for (const TokenChances& at : *list) {
      const std::string text = token_text(tokenizer, at.chosen.id);
      tokens.push(text);
      values.push(at.known ? Json(shortest_logprob(at.chosen.logprob)) : Json());
      Json top = Json::object();
      for (const TokenChance& rival : at.best)
        if (!top.find(token_text(tokenizer, rival.id)))
          top.set(token_text(tokenizer, rival.id), shortest_logprob(rival.logprob));
      best.push(at.known ? std::move(top) : Json());
      offsets.push(from);
      from += text.size();
    }
  return Json::object({{"tokens", std::move(tokens)},
                       {"token_logprobs", std::move(values)},
                       {"top_logprobs", std::move(best)},
                       {"text_offset", std::move(offsets)}});
}

Json choice(size_t index, const std::string& text, const Json& finish) {
  return Json::object({{"index", Json(index)},
                       {"text", Json(text)},
                       {"logprobs", Json()},
                       {"finish_reason", finish}});
}

Json answer(const std::string& id, const std::string& model, Json choices) {
  return Json::object({{"id", Json(id)},
                       {"object", Json("text_completion")},
                       {"created", Json(static_cast<int64_t>(std::time(nullptr)))},
                       {"model", Json(model)},
                       {"choices", std::move(choices)}});
}

}  // namespace

Reply openai_completions(Service& service, const Request& request, Work& work) {
  Ask ask(request);
  std::string name;
  const auto open = open_of(service, ask, name);
  const Generator& generator = open->generator();
  CompletionRequest asked = sampling_of(ask, generator, work);
  asked.prompts = prompts_of(ask, generator);
  asked.max_new = ask.integer("max_tokens", 16, 0, 1'000'000);
  const bool echo = ask.flag("echo", false);
  const Streaming stream = streaming_of(ask);
  asked.logprobs = static_cast<int>(ask.integer("logprobs", -1, 0, 20));
  asked.prompt_logprobs = echo;
  if (ask.integer("best_of", asked.count, 1, 64) != asked.count)
    throw BadField("best_of", "only as many as n");
  if (ask.find("suffix")) throw BadField("suffix", "this server does not fill in", "unsupported");
  if (stream.on && (asked.logprobs >= 0 || echo))
    throw BadField("stream", "does not go with logprobs or echo", "unsupported");
  check_room(generator, asked.prompts, asked.max_new, "max_tokens");
  const Json warnings = ask.warnings();
  const std::string id = next_id(service, "cmpl");
  int64_t before = 0;
  for (const auto& prompt : asked.prompts) before += std::ssize(prompt);
  if (stream.on)
    asked.on_text = [&](size_t index, std::string_view piece) {
      send_event(work, answer(id, name, Json::array({choice(index, std::string(piece), Json())})));
    };
  const std::vector<Completion> made = complete(generator, asked);
  count_tokens(service, before, completion_tokens(made));
  const Json usage = usage_json(before, completion_tokens(made));
  if (stream.on) {
    for (size_t i = 0; i < made.size(); ++i)
      send_event(work, answer(id, name, Json::array({choice(i, "", finish_of(made[i]))})));
    if (stream.usage)
      send_event(work, std::move(answer(id, name, Json::array()).set("usage", usage)));
    work.send("data: [DONE]\n\n");
    return {};
  }
  Json choices = Json::array();
  for (size_t i = 0; i < made.size(); ++i) {
    const auto& prompt = asked.prompts[i / static_cast<size_t>(asked.count)];
    const std::string said = echo ? text_of_ids(generator, prompt) : "";
    Json one = choice(i, said + made[i].made.text, finish_of(made[i]));
    if (asked.logprobs >= 0)
      one.set("logprobs", logprobs_json(made[i], generator.tokenizer(), echo ? 0 : said.size()));
    choices.push(std::move(one));
  }
  Json out = answer(id, name, std::move(choices));
  out.set("usage", usage);
  if (!warnings.items().empty()) out.set("warnings", warnings);
  return json_reply(out);
}

}  // namespace jogak::server
