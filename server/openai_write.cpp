#include "server/openai_write.h"

#include <ctime>

#include "app/use/chat.h"
#include "server/openai.h"

namespace jogak::server {
namespace {

constexpr const char* kDone = "data: [DONE]\n\n";

Json finish_of(const Generated& made) {
  return Json(made.finish_reason == FinishReason::length ? "length" : "stop");
}

Json object_of(const Writing& w, bool piece, Json choices) {
  const char* kind = w.chat ? (piece ? "chat.completion.chunk" : "chat.completion")  //
                            : "text_completion";
  return Json::object({{"id", Json(w.id)},
                       {"object", Json(kind)},
                       {"created", Json(static_cast<int64_t>(std::time(nullptr)))},
                       {"model", Json(w.model)},
                       {"choices", std::move(choices)}});
}

Json chances_of(Writing& w, size_t index, std::span<const TokenChances> chances) {
  if (!w.logprobs) return {};
  const Tokenizer& tokenizer = w.generator.tokenizer();
  if (w.chat) return chances_json_of_chat(chances, tokenizer);
  return chances_json_of_text(chances, tokenizer, w.told[index].offset);
}

struct Piece {
  size_t index = 0;
  Json text = {};  // of a conversation: the delta
  std::span<const TokenChances> chances = {};
  Json finish = {};
};

void send(Writing& w, Piece piece) {
  Json choice = Json::object({{"index", Json(piece.index)}});
  choice.set(w.chat ? "delta" : "text", std::move(piece.text));
  choice.set("logprobs",
             piece.chances.empty() ? Json() : chances_of(w, piece.index, piece.chances));
  choice.set("finish_reason", piece.finish);
  Json event = object_of(w, true, Json::array({std::move(choice)}));
  if (!w.warnings.items().empty()) event.set("warnings", std::exchange(w.warnings, Json::array()));
  w.work->send("data: " + event.dump() + "\n\n");
}

Json text_json(const Writing& w, std::string_view text) {
  return w.chat ? Json::object({{"content", Json(text)}}) : Json(text);
}

// What a text says that was not sent yet. The chances of its tokens come with the piece that the
// tokens end in.
std::span<const TokenChances> new_chances(Writing& w, size_t index, const Generated& made) {
  Writing::Told& told = w.told[index];
  const auto out = std::span(made.chances).subspan(std::min(told.tokens, made.chances.size()));
  told.tokens = made.chances.size();
  return out;
}

void begin_stream(Writing& w) {
  for (size_t i = 0; i < w.told.size(); ++i) {
    if (w.chat) send(w, {.index = i, .text = chat_message("assistant", "")});
    if (!w.echo) continue;
    const auto& prompt = w.prompts[i / static_cast<size_t>(w.count)];
    send(w, {.index = i, .text = Json(text_of_ids(w.generator, prompt))});
  }
}

void end_stream(Writing& w, const std::vector<Generated>& made, const Json& usage) {
  for (size_t i = 0; i < made.size(); ++i)
    send(w, {.index = i,
             .text = w.chat ? Json::object() : Json(""),
             .chances = new_chances(w, i, made[i]),
             .finish = finish_of(made[i])});
  if (w.stream.usage) {
    Json last = object_of(w, true, Json::array());
    w.work->send("data: " + last.set("usage", usage).dump() + "\n\n");
  }
  w.work->send(kDone);
}

Json whole_choice(Writing& w, size_t index, const Generated& made) {
  Json out = Json::object({{"index", Json(index)}});
  std::vector<TokenChances> chances = made.prompt_chances;
  chances.insert(chances.end(), made.chances.begin(), made.chances.end());
  if (w.chat) {
    Json message = chat_message("assistant", made.text);
    out.set("message", message.set("refusal", Json()));
  } else {
    const auto& prompt = w.prompts[index / static_cast<size_t>(w.count)];
    out.set("text", (w.echo ? text_of_ids(w.generator, prompt) : "") + made.text);
  }
  out.set("logprobs", chances_of(w, index, chances));
  return std::move(out.set("finish_reason", finish_of(made)));
}

Reply answer_with(Writing& w, const std::vector<Generated>& made) {
  int64_t before = 0, after = 0;
  for (const std::vector<int>& prompt : w.prompts) before += std::ssize(prompt);
  for (const Generated& one : made) after += std::ssize(one.ids);
  w.service.counters.prompt_tokens += before;
  w.service.counters.new_tokens += after;
  const Json usage = usage_json(before, after);
  if (w.stream.on) {
    end_stream(w, made, usage);
    return {};
  }
  Json choices = Json::array();
  for (size_t i = 0; i < made.size(); ++i) choices.push(whole_choice(w, i, made[i]));
  Json out = object_of(w, false, std::move(choices));
  out.set("usage", usage);
  if (!w.warnings.items().empty()) out.set("warnings", w.warnings);
  return json_reply(out);
}

Reply done(Writing& w, const std::vector<Generated>& made, const std::exception_ptr& wrong) {
  try {
    if (wrong) std::rethrow_exception(wrong);
    return answer_with(w, made);
  } catch (...) {
    return openai_error();
  }
}

}  // namespace

Reply begin_writing(const ShelfModel& model, const std::shared_ptr<OpenDesk>& desk,
                    CompletionRequest asked, std::shared_ptr<Writing> writing) {
  Service& service = writing->service;
  writing->model = model.id;
  writing->id = text_of(writing->chat ? "chatcmpl-" : "cmpl-", service.counters.requests++);
  writing->prompts = asked.prompts;
  writing->count = asked.count;
  writing->logprobs = asked.logprobs >= 0;
  writing->told.resize(asked.prompts.size() * static_cast<size_t>(asked.count));
  if (writing->stream.on) {
    asked.on_text = [writing, begun = false](size_t index, std::string_view piece,
                                             const Generated& made) mutable {
      if (!std::exchange(begun, true)) begin_stream(*writing);
      send(*writing, {.index = index,
                      .text = text_json(*writing, piece),
                      .chances = new_chances(*writing, index, made)});
    };
  }
  asked.on_done = [writing](const std::vector<Generated>& made, const std::exception_ptr& wrong) {
    writing->work->finish(done(*writing, made, wrong));
  };
  if (desk->desk.add(std::move(asked))) return {.later = true};
  ++service.counters.refused;
  throw Refused(429, "queue_full", "too many requests wait for this model already; try again");
}

}  // namespace jogak::server
