// /v1/chat/completions: a conversation by the model's chat template.
#include "app/use/chat.h"
#include "server/openai.h"
#include "server/openai_write.h"

namespace jogak::server {
namespace {

ChatRequest conversation_of(Ask& ask) {
  ChatRequest out;
  const Json* messages = ask.find("messages");
  if (!messages) throw BadField("messages", "missing, wanted a list");
  out.messages = *messages;
  check_messages(out.messages);
  if (const Json* tools = ask.find("tools")) {
    if (!tools->is_array())
      throw BadField("tools", text_of("found ", tools->kind_name(), ", wanted a list"),
                     "invalid_type");
    if (!tools->items().empty()) out.tools = *tools;
  }
  if (const Json* more = ask.find("chat_template_kwargs")) {
    if (!more->is_object())
      throw BadField("chat_template_kwargs",
                     text_of("found ", more->kind_name(), ", wanted an object"), "invalid_type");
    out.more = *more;
  }
  out.add_generation_prompt = ask.flag("add_generation_prompt", true);
  return out;
}

// Of the answer: what is asked, or all that the context has room for.
int64_t most_of(Ask& ask, const Generator& generator, const std::vector<int>& prompt) {
  const char* field = ask.find("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
  int64_t most = ask.integer(field, 0, 1, 1'000'000);
  ask.ignore({"max_tokens", "max_completion_tokens"});
  if (most > 0) {
    check_room(generator, {prompt}, most, "messages", field);
    return most;
  }
  check_room(generator, {prompt}, 1, "messages", "messages");
  const int64_t room = context_of(generator) - std::ssize(prompt);
  return context_of(generator) > 0 ? room : 1024;
}

}  // namespace

Reply openai_chat(Service& service, const Request& request, Work& work) {
  Ask ask(request);
  const ShelfModel model = model_of(service, ask);
  const auto desk = service.desk(model);
  const Generator& generator = desk->open->generator();
  auto writing = std::make_shared<Writing>(Writing{service, generator, work.keep(), true});
  CompletionRequest asked = sampling_of(ask, generator, request, *writing->work);
  const ChatRequest conversation = conversation_of(ask);
  asked.json_schema = format_of(ask);
  writing->stream = streaming_of(ask);
  const bool logprobs = ask.flag("logprobs", false);
  const int64_t best = ask.integer("top_logprobs", 0, 0, 20);
  if (best > 0 && !logprobs) throw BadField("top_logprobs", "only with \"logprobs\": true");
  ask.ignore({"tool_choice", "parallel_tool_calls", "reasoning_effort", "modalities"});
  asked.prompts = {chat_prompt(desk->open->chat_templates(), generator.tokenizer(), conversation)};
  if (asked.prompts[0].empty()) throw BadField("messages", "the chat template makes no text of it");
  asked.max_new = most_of(ask, generator, asked.prompts[0]);
  asked.logprobs = logprobs ? static_cast<int>(best) : -1;
  writing->warnings = ask.warnings();
  return begin_writing(model, desk, std::move(asked), std::move(writing));
}

}  // namespace jogak::server
