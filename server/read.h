// Values out of requests: checked, and named where they are wrong.
#pragma once

#include <string>
#include <vector>

#include "app/show/inspect_input.h"
#include "server/message.h"
#include "server/service.h"

namespace jogak::server {

// The body as an object that has no other keys than these: UsageError suggesting the nearest.
Json body_of(const Request& request, const std::vector<std::string>& known);

std::string text_of_key(const Json& body, const char* key);  // "" when absent
int64_t integer_of_key(const Json& body, const char* key, int64_t otherwise);
double number_of_key(const Json& body, const char* key, double otherwise);
bool flag_of_key(const Json& body, const char* key);
Lang lang_of(const Json& body, const Service& service);

// {"text","target","label","length","file"}: "file" is the id of what was sent to /api/inputs, or
// "example" for the model's own.
InputChoice input_of(const Json& body, const char* key, Service& service, const ShelfModel& model);

std::string query_text(const Request& request, const char* key);  // "" when absent
int64_t query_number(const Request& request, const char* key, int64_t otherwise);
Lang query_lang(const Request& request, const Service& service);

}  // namespace jogak::server
