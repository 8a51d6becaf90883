#include "app/use/chat.h"

#include "text/tokenizer.h"

namespace jogak {
namespace {

constexpr size_t kMostMessages = 10'000;

void check_content(const Json& content, const std::string& place) {
  if (content.is_string() || content.is_null()) return;
  ensure<UsageError>(content.is_array(), place, ": found ", content.kind_name(),
                     ", wanted a string or a list of parts");
  for (size_t i = 0; i < content.items().size(); ++i) {
    const Json& part = content.items()[i];
    const std::string at = text_of(place, "[", i, "]");
    const Json* type = part.find("type");
    ensure<UsageError>(type && type->is_string(), at, ".type: wanted a string");
    if (type->text() != "text")
      fail<UsageError>(at, ".type: found ", json_quote_start(type->text(), 40),
                       ", wanted \"text\": images and sound are not taken");
    const Json* text = part.find("text");
    ensure<UsageError>(text && text->is_string(), at, ".text: wanted a string");
  }
}

}  // namespace

void check_messages(const Json& messages) {
  ensure<UsageError>(messages.is_array(), "messages: found ", messages.kind_name(),
                     ", wanted a list");
  const size_t count = messages.items().size();
  ensure<UsageError>(count >= 1 && count <= kMostMessages, "messages: found ", count,
                     ", wanted 1 to ", kMostMessages);
  for (size_t i = 0; i < count; ++i) {
    const Json& message = messages.items()[i];
    const std::string place = text_of("messages[", i, "]");
    ensure<UsageError>(message.is_object(), place, ": found ", message.kind_name(),
                       ", wanted an object");
    const Json* role = message.find("role");
    ensure<UsageError>(
        role && role->is_string() && !role->text().empty() && role->text().size() <= 64, place,
        ".role: wanted a name such as \"user\"");
    const Json* content = message.find("content");
    const bool calls = message.find("tool_calls") != nullptr;
    ensure<UsageError>(content || calls, place, ".content: missing");
    if (!content) continue;
    ensure<UsageError>(!content->is_null() || calls, place,
                       ".content: found null, wanted a string or a list of parts");
    check_content(*content, place + ".content");
  }
}

Json chat_message(const std::string& role, const std::string& content) {
  return Json::object({{"role", role}, {"content", content}});
}

ChatRequest read_chat(const std::string& typed, const std::string& system) {
  ChatRequest out;
  const size_t first = typed.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && (typed[first] == '[' || typed[first] == '{');
  if (json) {
    Json given = parse_json(typed, "messages");
    if (given.is_object()) {
      for (const auto& [key, value] : given.members()) {
        if (key == "messages")
          out.messages = value;
        else if (key == "tools")
          out.tools = value;
        else
          fail<UsageError>("messages: unknown key ", json_quote_start(key, 40),
                           ", wanted \"messages\" or \"tools\"");
      }
    } else {
      out.messages = std::move(given);
    }
  } else {
    out.messages.push(chat_message("user", typed));
  }
  check_messages(out.messages);
  if (system.empty()) return out;
  Json all = Json::array({chat_message("system", system)});
  for (const Json& message : out.messages.items()) all.push(message);
  out.messages = std::move(all);
  return out;
}

Json chat_source(const ChatTemplates& templates) {
  const auto found = templates.all().find("default");
  return found == templates.all().end() ? Json() : Json(found->second.source());
}

std::vector<int> chat_prompt(const ChatTemplates& templates, const Tokenizer& tokenizer,
                             const ChatRequest& request) {
  check_messages(request.messages);
  const MarkedText text = templates.render(request, tokenizer.roles());
  return tokenizer.encode_ids(text, {.add_special = false});
}

}  // namespace jogak
