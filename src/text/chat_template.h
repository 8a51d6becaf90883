// The chat templates of a model directory: a conversation -> the text a model continues.
#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "text/jinja/template.h"
#include "text/marked_text.h"

namespace jogak {

struct ChatRequest {
  Json messages = Json::array();    // [{"role","content",..}, ..]
  Json tools = {}, documents = {};  // lists, or null
  Json more = Json::object();       // further variables: "enable_thinking", ..
  bool add_generation_prompt = true;
  std::string name = {};  // of the template; empty: as transformers chooses
};

class ChatTemplates {
 public:
  // chat_template.jinja and additional_chat_templates/NAME.jinja, or else "chat_template" of
  // tokenizer_config.json: a text or a list of named ones.
  static ChatTemplates load(const std::string& directory);

  bool empty() const { return templates_.empty(); }
  const std::map<std::string, jinja::Template>& all() const { return templates_; }

  // `roles` are the tokenizer's: bos_token, eos_token, .. Everything of the request counts as
  // written by a user. FormatError with the line; jinja::Raised where the template says no.
  MarkedText render(const ChatRequest& request, const std::map<std::string, std::string>& roles,
                    const std::tm& now) const;
  MarkedText render(const ChatRequest& request,
                    const std::map<std::string, std::string>& roles) const;  // now is now

 private:
  const jinja::Template& chosen(const ChatRequest& request) const;

  std::string directory_;
  std::map<std::string, jinja::Template> templates_;
};

}  // namespace jogak
