// The OpenAI interface: one more table of routes over the models of the page.
#pragma once

#include <string>

#include "server/openai_ask.h"

namespace jogak::server {

Reply openai_completions(Service& service, const Request& request, Work& work);
Reply openai_chat(Service& service, const Request& request, Work& work);
Reply openai_embeddings(Service& service, const Request& request, Work& work);
Reply openai_tokenize(Service& service, const Request& request, Work& work);
Reply openai_detokenize(Service& service, const Request& request, Work& work);
Reply openai_tokenizer_info(Service& service, const Request& request, Work& work);
Reply openai_models(Service& service);
Reply openai_metrics(Service& service);

Json chances_json_of_text(std::span<const TokenChances> chances, const Tokenizer& tokenizer,
                          size_t& offset);  // of /v1/completions; the offset moves on
Json chances_json_of_chat(std::span<const TokenChances> chances, const Tokenizer& tokenizer);

}  // namespace jogak::server
