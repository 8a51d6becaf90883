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

void send_event(Work& work, const Json& json);  // data: {..}
std::string next_id(Service& service, const char* kind);
Json finish_of(const Completion& completion);
void count_tokens(Service& service, int64_t prompt, int64_t completion);
double shortest_logprob(float value);  // the double that is written with the float's digits

}  // namespace jogak::server
