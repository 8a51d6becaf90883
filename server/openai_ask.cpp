#include "server/openai_ask.h"

#include <algorithm>

#include "app/use/chat.h"

namespace jogak::server {
Ask::Ask(const Request& request) : body_(request.json()) {
  if (!body_.is_object())
    throw BadField("the request", text_of("found ", body_.kind_name(), ", wanted an object"));
}

const Json* Ask::find(const char* field) {
  known_.emplace_back(field);
  const Json* found = body_.find(field);
  return found && !found->is_null() ? found : nullptr;
}

bool Ask::flag(const char* field, bool otherwise) {
  const Json* found = find(field);
  if (!found) return otherwise;
  if (!found->is_bool())
    throw BadField(field, text_of("found ", found->kind_name(), ", wanted true or false"),
                   "invalid_type");
  return found->boolean();
}

int64_t Ask::integer(const char* field, int64_t otherwise, int64_t low, int64_t high) {
  const Json* found = find(field);
  if (!found) return otherwise;
  if (!found->is_integer())
    throw BadField(field, text_of("found ", found->kind_name(), ", wanted a whole number"),
                   "invalid_type");
  if (found->integer() < low || found->integer() > high)
    throw BadField(field, text_of("found ", found->integer(), ", wanted ", low, " to ", high));
  return found->integer();
}

double Ask::number(const char* field, double otherwise, double low, double high) {
  const Json* found = find(field);
  if (!found) return otherwise;
  if (!found->is_number())
    throw BadField(field, text_of("found ", found->kind_name(), ", wanted a number"),
                   "invalid_type");
  const double value = found->number();
  if (!(value >= low && value <= high))
    throw BadField(field, text_of("found ", value, ", wanted ", low, " to ", high));
  return value;
}

std::string Ask::text(const char* field, const std::string& otherwise) {
  const Json* found = find(field);
  if (!found) return otherwise;
  if (!found->is_string())
    throw BadField(field, text_of("found ", found->kind_name(), ", wanted a string"),
                   "invalid_type");
  return found->text();
}

void Ask::ignore(std::initializer_list<const char*> fields) {
  for (const char* field : fields) known_.emplace_back(field);
}

Json Ask::warnings() const {
  Json out = Json::array();
  for (const auto& [key, value] : body_.members())
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      out.push("the field " + json_quote_start(key, 60) + " is not known and has no effect");
  return out;
}

Json openai_error_json(const std::string& message, const std::string& code,
                       const std::string& field) {
  Json error = Json::object();
  error.set("message", message).set("type", "invalid_request_error");
  error.set("param", field.empty() ? Json() : Json(field)).set("code", code);
  return Json::object({{"error", std::move(error)}});
}

Reply openai_error() {
  const auto reply = [](int status, const Json& json) {
    Reply out = json_reply(json);
    out.status = status;
    return out;
  };
  try {
    throw;
  } catch (const BadField& error) {
    return reply(400, openai_error_json(error.what(), error.code, error.field));
  } catch (const Refused& error) {
    Reply out = reply(error.status, openai_error_json(error.what(), error.code));
    if (error.status == 429) out.headers.emplace_back("Retry-After", "1");
    return out;
  } catch (const jinja::Raised& error) {
    return reply(400,
                 openai_error_json(std::string("the chat template refuses this: ") + error.what(),
                                   "template_refused", "messages"));
  } catch (const UsageError& error) {
    const std::string message = error.what();
    const std::string field = message.substr(0, message.find_first_of(":[ "));
    return reply(400,
                 openai_error_json(message, "invalid_value",
                                   field == "messages" || field == "response_format" ? field : ""));
  } catch (const FormatError& error) {
    return reply(400, openai_error_json(error.what(), "invalid_input"));
  } catch (...) {
    return reply_to_exception();
  }
}

Handler guarded(Handler handler) {
  return [handler = std::move(handler)](const Request& request, Work& work) {
    try {
      return handler(request, work);
    } catch (const Stopped&) {
      throw;
    } catch (...) {
      return openai_error();
    }
  };
}

ShelfModel model_of(Service& service, Ask& ask) {
  const std::string name = ask.text("model", "");
  for (const ShelfModel& model : service.shelf.list())
    if (model.trouble.empty() && (name.empty() ? model.given : model.id == name)) return model;
  throw Refused(404, "model_not_found",
                "no model " + json_quote_start(name, 80) + "; /v1/models lists them");
}

std::shared_ptr<const OpenModel> open_of(Service& service, Ask& ask, std::string& name) {
  const ShelfModel model = model_of(service, ask);
  name = model.id;
  return service.open(model);
}

std::string body_lane(const Request& request) {
  try {
    const Json body = request.json();
    const Json* model = body.find("model");
    return model && model->is_string() ? model->text() : "";
  } catch (const Error&) {
    return "";  // it is refused when it is read again, by its byte
  }
}

}  // namespace jogak::server
