#include "io/gguf.h"

#include <cmath>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "base/suggest.h"
#include "io/safetensors_header.h"

namespace jogak {

GgufFile::GgufFile(const std::string& path)
    : file_(std::make_shared<MappedFile>(path)), header_(read_gguf_header(file_->text(), path)) {}

const GgufValue& GgufFile::at(std::string_view key) const {
  const auto found = header_.values.find(key);
  ensure<FormatError>(found != header_.values.end(), path(), ": key ", json_quote_start(key, 64),
                      " is missing");
  return found->second;
}

void GgufFile::wrong(std::string_view key, std::string_view wanted) const {
  const GgufValue& found = at(key);
  const std::string shown = found.value.is_array()
                                ? text_of("a list of ", found.value.items().size())
                            : found.value.is_string() ? json_quote_start(found.value.text(), 64)
                                                      : found.value.dump();
  fail<FormatError>(path(), ": byte ", found.at, ": ", json_quote_start(key, 64), ": found ", shown,
                    ", wanted ", wanted);
}

int64_t GgufFile::integer(std::string_view key, Fields::Range range) const {
  const Json& v = at(key).value;
  if (!v.is_integer() || v.integer() < range.low || v.integer() > range.high)
    wrong(key, text_of("a whole number from ", range.low, " to ", range.high));
  return v.integer();
}

int64_t GgufFile::integer_or(std::string_view key, int64_t otherwise, Fields::Range range) const {
  return has(key) ? integer(key, range) : otherwise;
}

double GgufFile::number_or(std::string_view key, double otherwise) const {
  if (!has(key)) return otherwise;
  const Json& v = at(key).value;
  if (!v.is_number() || !std::isfinite(v.number())) wrong(key, "a number");
  return v.number();
}

bool GgufFile::flag_or(std::string_view key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const Json& v = at(key).value;
  if (!v.is_bool()) wrong(key, "true or false");
  return v.boolean();
}

const std::string& GgufFile::text(std::string_view key) const {
  const Json& v = at(key).value;
  if (!v.is_string()) wrong(key, "a text");
  return v.text();
}

std::string GgufFile::text_or(std::string_view key, std::string otherwise) const {
  return has(key) ? text(key) : std::move(otherwise);
}

const std::vector<Json>& GgufFile::list(std::string_view key, Json::Kind items) const {
  const Json& v = at(key).value;
  if (!v.is_array() || (!v.items().empty() && v.items()[0].kind() != items))
    wrong(key, text_of("a list, each item ", Json::kind_name(items)));
  return v.items();
}

Tensor GgufFile::read(std::string_view name) const {
  const auto found = header_.tensors.find(name);
  ensure<MissingError>(found != header_.tensors.end(), path(), ": no tensor ", shown_name(name));
  const GgufTensor& info = found->second;
  file_->ensure_unchanged();
  Tensor out = empty(info.shape, info.dtype());
  if (info.type->dtype) {
    file_->read(info.begin, std::span(out.storage()->data(), info.bytes));
    return out;
  }
  const std::byte* const blocks = file_->data() + info.begin;
  const GgufType& type = *info.type;
  float* const values = out.data<float>();
  parallel_for(out.count() / type.block, (1 << 14) / type.block, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      type.widen(blocks + i * type.bytes, values + i * type.block);
  });
  return out;
}

}  // namespace jogak
