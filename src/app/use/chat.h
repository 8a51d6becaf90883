// A conversation with a language model, by the model's chat template.
#pragma once

#include <string>
#include <vector>

#include "app/use/generator.h"
#include "text/chat_template.h"

namespace jogak {

// UsageError that names the place: "messages[2].role: ...".
void check_messages(const Json& messages);

// {"role","content"}
Json chat_message(const std::string& role, const std::string& content);

// What a user typed: messages as JSON ([{"role","content"}, ..], or an object with "messages" and
// "tools"), or else one text of the user. `system`, where it is not empty, comes first.
ChatRequest read_chat(const std::string& typed, const std::string& system);

// The source of the template that is taken where nothing else is said; null: there is none.
Json chat_source(const ChatTemplates& templates);

// The tokens a model continues: no special token comes from what the messages say, and none is put
// around the text, because the template writes its own.
std::vector<int> chat_prompt(const ChatTemplates& templates, const Tokenizer& tokenizer,
                             const ChatRequest& request);

}  // namespace jogak
