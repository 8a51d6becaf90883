#include "text/chat_template.h"

#include <utility>

#include "base/file.h"

namespace jogak {
namespace {

constexpr size_t kLongestTemplate = 4 << 20;  // of a template's file

std::string read_template(const std::string& path) {
  std::string out = read_file(path);
  ensure<FormatError>(out.size() <= kLongestTemplate, path, ": found ", out.size(),
                      " bytes, wanted at most ", kLongestTemplate);
  return out;
}

// Reasoning has three names; the first is what templates read, "thinking" what some others do.
Json with_reasoning(const Json& message) {
  static constexpr const char* kNames[] = {"reasoning_content", "thinking", "reasoning"};
  if (!message.is_object()) return message;
  for (const char* name : kNames) {
    const Json* found = message.find(name);
    if (!found || found->is_null()) continue;
    Json out = Json::object();
    out.set("thinking", *found);
    for (const auto& [key, value] : message.members()) out.set(key, value);
    return std::move(out.set("reasoning_content", *found));
  }
  return message;
}

}  // namespace

ChatTemplates ChatTemplates::load(const std::string& directory) {
  ChatTemplates out;
  out.directory_ = directory;
  const auto add = [&](const std::string& name, const std::string& source,
                       const std::string& place) {
    out.templates_.try_emplace(name, jinja::Template(source, place));
  };
  const std::string file = join_path(directory, "chat_template.jinja");
  if (file_exists(file)) add("default", read_template(file), file);
  const std::string folder = join_path(directory, "additional_chat_templates");
  if (is_directory(folder))
    for (const std::string& name : list_directory(folder))
      if (name.ends_with(".jinja")) {
        const std::string path = join_path(folder, name);
        add(name.substr(0, name.size() - 6), read_template(path), path);
      }
  const std::string config = join_path(directory, "tokenizer_config.json");
  if (!out.empty() || !file_exists(config)) return out;
  const Json json = read_json_file(config);
  const Json* key = json.find("chat_template");
  if (!key || key->is_null()) return out;
  const std::string place = config + ": chat_template";
  if (key->is_string()) {
    add("default", key->text(), place);
    return out;
  }
  ensure<FormatError>(key->is_array(), config, ": byte ", key->offset(),
                      ": \"chat_template\": found ", key->kind_name(),
                      ", wanted a text or a list of named ones");
  for (const Json& item : key->items()) {
    const Fields fields(item, config);
    add(fields.text("name"), fields.text("template"), place + " '" + fields.text("name") + "'");
  }
  return out;
}

const jinja::Template& ChatTemplates::chosen(const ChatRequest& request) const {
  ensure<UsageError>(!empty(), directory_,
                     ": no chat template: found neither chat_template.jinja nor",
                     " \"chat_template\" in tokenizer_config.json; without one a model continues",
                     " text with 'jogak generate'");
  std::string names;
  for (const auto& [name, one] : templates_) names += (names.empty() ? "" : ", ") + name;
  if (!request.name.empty()) {
    const auto found = templates_.find(request.name);
    ensure<UsageError>(found != templates_.end(), directory_, ": no chat template '", request.name,
                       "', wanted one of ", names);
    return found->second;
  }
  if (!request.tools.is_null())
    if (const auto found = templates_.find("tool_use"); found != templates_.end())
      return found->second;
  const auto found = templates_.find("default");
  ensure<UsageError>(found != templates_.end(), directory_,
                     ": no chat template 'default', wanted one of ", names);
  return found->second;
}

MarkedText ChatTemplates::render(const ChatRequest& request,
                                 const std::map<std::string, std::string>& roles,
                                 const std::tm& now) const {
  const jinja::Template& chat = chosen(request);
  jinja::Context context;
  for (const auto& [role, token] : roles) context[role] = jinja::Value(std::string_view(token));
  if (request.more.is_object())
    for (const auto& [key, value] : request.more.members())
      context[key] = jinja::from_json(value, true);
  Json messages = Json::array();
  for (const Json& message : request.messages.items()) messages.push(with_reasoning(message));
  context["messages"] = jinja::from_json(messages, true);
  context["tools"] = jinja::from_json(request.tools, true);
  context["documents"] = jinja::from_json(request.documents, true);
  context["add_generation_prompt"] = request.add_generation_prompt;
  return chat.render(context, now);
}

MarkedText ChatTemplates::render(const ChatRequest& request,
                                 const std::map<std::string, std::string>& roles) const {
  const std::time_t seconds = std::time(nullptr);
  std::tm now{};
  localtime_r(&seconds, &now);
  return render(request, roles, now);
}

}  // namespace jogak
