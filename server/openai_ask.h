// Requests of the OpenAI interface, read field by field: what is wrong is named, what is not known
// is ignored with a warning.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/use/completion.h"
#include "server/service.h"

namespace jogak::server {

// 400 with the name of the field.
struct BadField : UsageError {
  BadField(std::string field_, const std::string& message, std::string code_ = "invalid_value")
      : UsageError(field_ + ": " + message), field(std::move(field_)), code(std::move(code_)) {}
  std::string field, code;
};

class Ask {
 public:
  explicit Ask(const Request& request);

  const Json* find(const char* field);  // null when absent or null; it counts as known
  bool flag(const char* field, bool otherwise);
  int64_t integer(const char* field, int64_t otherwise, int64_t low, int64_t high);
  double number(const char* field, double otherwise, double low, double high);
  std::string text(const char* field, const std::string& otherwise);
  void ignore(std::initializer_list<const char*> fields);  // known, and of no effect here

  // One warning for each field nobody asked for, to stand in the answer as "warnings".
  Json warnings() const;

 private:
  Json body_;
  std::vector<std::string> known_;
};

// The answer to what was thrown, as OpenAI writes errors: called in a catch block.
Reply openai_error();
Json openai_error_json(const std::string& message, const std::string& code,
                       const std::string& field = {});

// Runs a route and turns what it throws into an answer.
using Handler = std::function<Reply(const Request&, Work&)>;
Handler guarded(Handler handler);

// The model that "model" names; Refused with 404. Without one the first that was given.
ShelfModel model_of(Service& service, Ask& ask);
std::shared_ptr<const OpenModel> open_of(Service& service, Ask& ask, std::string& name);
std::string body_lane(const Request& request);  // the lane of the body's "model"

// What both kinds of completion take: sampling, penalties, stop, seed, n.
CompletionRequest sampling_of(Ask& ask, const Generator& generator, const Request& request,
                              const Work& work);
// The schema that "response_format" holds an answer to; "{}": any object; empty: any text.
std::string format_of(Ask& ask);
// Whether to stream, and whether a last chunk tells the usage.
struct Streaming {
  bool on = false, usage = false;
};
Streaming streaming_of(Ask& ask);

Json usage_json(int64_t prompt, int64_t completion);
void check_room(const Generator& generator, const std::vector<std::vector<int>>& prompts,
                int64_t max_new, const char* prompt_field, const char* new_field);

}  // namespace jogak::server
