#include "server/read.h"

#include <charconv>

#include "base/suggest.h"

namespace jogak::server {
namespace {

constexpr const char* kBody = "the request";

void check_keys(const Json& object, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.members()) {
    const bool found = std::find(known.begin(), known.end(), key) != known.end();
    ensure<UsageError>(found, kBody, ": unknown key \"", key, "\"", did_you_mean(key, known));
  }
}

}  // namespace

Json body_of(const Request& request, const std::vector<std::string>& known) {
  Json out = request.json();
  ensure<UsageError>(out.is_object(), kBody, ": found ", out.kind_name(), ", wanted an object");
  check_keys(out, known);
  return out;
}

std::string text_of_key(const Json& body, const char* key) {
  return Fields(body, kBody).text_or(key, "");
}

int64_t integer_of_key(const Json& body, const char* key, int64_t otherwise) {
  return Fields(body, kBody).integer_or(key, otherwise, {});
}

double number_of_key(const Json& body, const char* key, double otherwise) {
  return Fields(body, kBody).number_or(key, otherwise);
}

bool flag_of_key(const Json& body, const char* key) {
  return Fields(body, kBody).flag_or(key, false);
}

Lang lang_of(const Json& body, const Service& service) {
  const std::string code = text_of_key(body, "lang");
  return code.empty() ? service.lang : parse_lang(code);
}

InputChoice input_of(const Json& body, const char* key, Service& service, const ShelfModel& model) {
  InputChoice out;
  const Json* const found = body.find(key);
  if (!found || found->is_null()) return out;
  const Fields fields(*found, kBody);
  check_keys(*found, {"text", "target", "label", "length", "file"});
  out.text = fields.text_or("text", "");
  out.target = fields.text_or("target", "");
  out.label = fields.text_or("label", "");
  out.length = fields.integer_or("length", 0, {.low = 0, .high = 4096});
  const std::string file = fields.text_or("file", "");
  if (file.empty()) return out;
  const bool image = model.outline.input == ModelOutline::Input::image;
  if (file == "example") {
    const ModelExample example = model_example(model.directory, model.outline);
    (image ? out.image_bytes : out.csv_text) = image ? example.image : example.csv;
    return out;
  }
  const auto kept = service.inputs.find(file);
  if (!kept) throw Refused(404, "input_not_found", "that file is not kept any more; send it again");
  (image ? out.image_bytes : out.csv_text) = *kept;
  return out;
}

std::string query_text(const Request& request, const char* key) {
  const auto found = request.query.find(key);
  return found == request.query.end() ? "" : found->second;
}

int64_t query_number(const Request& request, const char* key, int64_t otherwise) {
  const auto found = request.query.find(key);
  if (found == request.query.end()) return otherwise;
  const std::string& text = found->second;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  ensure<UsageError>(error == std::errc() && end == text.data() + text.size() && !text.empty(), key,
                     ": wanted a whole number");
  return value;
}

Lang query_lang(const Request& request, const Service& service) {
  const std::string code = query_text(request, "lang");
  return code.empty() ? service.lang : parse_lang(code);
}

}  // namespace jogak::server
