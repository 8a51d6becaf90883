#include "app/use/chat.h"

#include <algorithm>
#include <string_view>

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

bool is_gap(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether a template has a loop over what a message says: "for part in message.content".
bool goes_through_parts(std::string_view source) {
  const auto before = [&](size_t end, auto is) {
    while (end > 0 && is(source[end - 1])) --end;
    return end;
  };
  const auto word = [&](size_t end, std::string_view wanted) {
    return end >= wanted.size() && source.substr(end - wanted.size(), wanted.size()) == wanted;
  };
  for (size_t at = source.find("content"); at != source.npos; at = source.find("content", at + 1)) {
    const size_t path = before(at, [](char c) {
      return is_name_letter(c) || std::string_view(".['\"").find(c) != std::string_view::npos;
    });
    const size_t in = before(path, is_gap);
    if (in == path || !word(in, "in")) continue;
    const size_t name = before(before(in - 2, is_gap), is_name_letter);
    if (word(before(name, is_gap), "for")) return true;
  }
  return false;
}

// Clients write a text as one or as a list of parts; a template that knows only texts gets a text.
ChatRequest as_texts(ChatRequest request) {
  Json messages = Json::array();
  for (const Json& message : request.messages.items()) {
    const Json* const content = message.find("content");
    Json one = message;
    if (content && content->is_array()) {
      std::string text;
      for (const Json& part : content->items())
        text += (text.empty() ? "" : "\n") + part.find("text")->text();
      one.set("content", text);
    }
    messages.push(std::move(one));
  }
  request.messages = std::move(messages);
  return request;
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
  const bool parts =
      std::any_of(templates.all().begin(), templates.all().end(),
                  [](const auto& one) { return goes_through_parts(one.second.source()); });
  const MarkedText text = templates.render(parts ? request : as_texts(request), tokenizer.roles());
  return tokenizer.encode_ids(text, {.add_special = false});
}

}  // namespace jogak
