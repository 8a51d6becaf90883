// /v1/completions: prompts as texts or tokens, whole or as a stream.
#include "server/openai.h"
#include "server/openai_write.h"

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

}  // namespace

Reply openai_completions(Service& service, const Request& request, Work& work) {
  Ask ask(request);
  const ShelfModel model = model_of(service, ask);
  const auto desk = service.desk(model);
  const Generator& generator = desk->open->generator();
  auto writing = std::make_shared<Writing>(Writing{service, generator, work.keep()});
  CompletionRequest asked = sampling_of(ask, generator, request, *writing->work);
  asked.prompts = prompts_of(ask, generator);
  asked.max_new = ask.integer("max_tokens", 16, 0, 1'000'000);
  writing->echo = ask.flag("echo", false);
  writing->stream = streaming_of(ask);
  asked.logprobs = static_cast<int>(ask.integer("logprobs", -1, 0, 20));
  asked.prompt_logprobs = writing->echo;
  if (ask.integer("best_of", asked.count, 1, 64) != asked.count)
    throw BadField("best_of", "only as many as n");
  if (ask.find("suffix")) throw BadField("suffix", "this server does not fill in", "unsupported");
  if (writing->stream.on && asked.logprobs >= 0 && writing->echo)
    throw BadField("stream", "does not go with logprobs and echo together", "unsupported");
  asked.json_schema = format_of(ask);
  check_room(generator, asked.prompts, asked.max_new, "prompt", "max_tokens");
  writing->warnings = ask.warnings();
  return begin_writing(model, desk, std::move(asked), std::move(writing));
}

}  // namespace jogak::server
