// /v1/chat/completions: a conversation by the model's chat template.
#include <algorithm>
#include <ctime>

#include "app/use/chat.h"
#include "server/openai.h"

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

void check_format(Ask& ask) {
  const Json* format = ask.find("response_format");
  if (!format) return;
  const Json* type = format->find("type");
  if (!type || !type->is_string())
    throw BadField("response_format", "wanted an object with a \"type\"", "invalid_type");
  if (type->text() != "text")
    throw BadField("response_format",
                   text_of("found ", json_quote_start(type->text(), 40),
                           ", wanted \"text\": answers are not held to a format"),
                   "unsupported");
}

Json token_json(const TokenChance& chance, const Tokenizer& tokenizer) {
  const std::string text = token_text(tokenizer, chance.id);
  Json bytes = Json::array();
  for (const char c : text) bytes.push(static_cast<int>(static_cast<unsigned char>(c)));
  return Json::object({{"token", Json(text)},
                       {"logprob", Json(shortest_logprob(chance.logprob))},
                       {"bytes", std::move(bytes)}});
}

Json logprobs_json(const Completion& one, const Tokenizer& tokenizer) {
  Json content = Json::array();
  for (const TokenChances& at : one.text) {
    Json token = token_json(at.chosen, tokenizer), best = Json::array();
    for (const TokenChance& rival : at.best) best.push(token_json(rival, tokenizer));
    content.push(std::move(token.set("top_logprobs", std::move(best))));
  }
  return Json::object({{"content", std::move(content)}});
}

Json answer(const std::string& id, const std::string& model, const char* object, Json choices) {
  return Json::object({{"id", Json(id)},
                       {"object", Json(object)},
                       {"created", Json(static_cast<int64_t>(std::time(nullptr)))},
                       {"model", Json(model)},
                       {"choices", std::move(choices)}});
}

// Chunks of one streamed answer.
class Chunks {
 public:
  Chunks(Work& work, std::string id, std::string model)
      : work_(work), id_(std::move(id)), model_(std::move(model)) {}

  void send(size_t index, Json delta, const Json& finish = {}) {
    Json choice = Json::object({{"index", Json(index)}, {"delta", std::move(delta)}});
    choice.set("logprobs", Json()).set("finish_reason", finish);
    send_event(work_, answer(id_, model_, kObject, Json::array({std::move(choice)})));
  }
  void usage(const Json& usage) {
    Json last = answer(id_, model_, kObject, Json::array());
    send_event(work_, last.set("usage", usage));
  }
  void done() { work_.send("data: [DONE]\n\n"); }

 private:
  static constexpr const char* kObject = "chat.completion.chunk";
  Work& work_;
  std::string id_, model_;
};

Json whole_answer(const std::vector<Completion>& made, const Generator& generator, bool logprobs) {
  Json choices = Json::array();
  for (size_t i = 0; i < made.size(); ++i) {
    Json message = chat_message("assistant", made[i].made.text);
    Json one = Json::object({{"index", Json(i)}, {"message", message.set("refusal", Json())}});
    one.set("logprobs", logprobs ? logprobs_json(made[i], generator.tokenizer()) : Json());
    choices.push(std::move(one.set("finish_reason", finish_of(made[i]))));
  }
  return choices;
}

// Of the answer: what is asked, or all that the context has room for.
int64_t most_of(Ask& ask, const Generator& generator, const std::vector<int>& prompt) {
  const char* field = ask.find("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
  int64_t most = ask.integer(field, 0, 1, 1'000'000);
  ask.ignore({"max_tokens", "max_completion_tokens"});
  if (most > 0) {
    check_room(generator, {prompt}, most, field);
    return most;
  }
  check_room(generator, {prompt}, 1, "messages");
  const int64_t room = context_of(generator) - std::ssize(prompt);
  return context_of(generator) > 0 ? room : 1024;
}

}  // namespace

Reply openai_chat(Service& service, const Request& request, Work& work) {
  Ask ask(request);
  std::string name;
  const auto open = open_of(service, ask, name);
  const Generator& generator = open->generator();
  CompletionRequest asked = sampling_of(ask, generator, work);
  const ChatRequest conversation = conversation_of(ask);
  check_format(ask);
  const Streaming stream = streaming_of(ask);
  const bool logprobs = ask.flag("logprobs", false);
  const int64_t best = ask.integer("top_logprobs", 0, 0, 20);
  if (best > 0 && !logprobs) throw BadField("top_logprobs", "only with \"logprobs\": true");
  if (stream.on && logprobs) throw BadField("stream", "does not go with logprobs", "unsupported");
  ask.ignore({"tool_choice", "parallel_tool_calls", "reasoning_effort", "modalities"});
  asked.prompts = {chat_prompt(open->chat_templates(), generator.tokenizer(), conversation)};
  if (asked.prompts[0].empty()) throw BadField("messages", "the chat template makes no text of it");
  asked.max_new = most_of(ask, generator, asked.prompts[0]);
  asked.logprobs = logprobs ? static_cast<int>(best) : -1;
  const Json warnings = ask.warnings();
  const auto before = std::ssize(asked.prompts[0]);
  Chunks chunks(work, next_id(service, "chatcmpl"), name);
  if (stream.on) {
    for (int i = 0; i < asked.count; ++i)
      chunks.send(static_cast<size_t>(i), chat_message("assistant", ""));
    asked.on_text = [&](size_t index, std::string_view piece) {
      chunks.send(index, Json::object({{"content", Json(piece)}}));
    };
  }
  std::vector<Completion> made;
  try {
    made = complete(generator, asked);
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    if (!stream.on) throw;
    send_event(work, openai_error_json(error.what(), "failed"));
    return {};
  }
  count_tokens(service, before, completion_tokens(made));
  const Json usage = usage_json(before, completion_tokens(made));
  if (stream.on) {
    for (size_t i = 0; i < made.size(); ++i) chunks.send(i, Json::object(), finish_of(made[i]));
    if (stream.usage) chunks.usage(usage);
    chunks.done();
    return {};
  }
  Json out = answer(next_id(service, "chatcmpl"), name, "chat.completion",
                    whole_answer(made, generator, logprobs));
  out.set("usage", usage);
  if (!warnings.items().empty()) out.set("warnings", warnings);
  return json_reply(out);
}

}  // namespace jogak::server
