#include "text/limits.h"

#include <algorithm>
#include <array>
#include <utility>

#include "text/reading.h"

namespace jogak::text {
namespace {

constexpr std::array<std::string_view, 3> kStrategies = {"LongestFirst", "OnlyFirst", "OnlySecond"};
constexpr int64_t kLongest = int64_t{1} << 40;

bool read_left(const Fields& fields) {
  const std::string side = fields.text_or("direction", "Right");
  if (side != "Left" && side != "Right")
    fields.wrong(fields.at("direction"), "direction", "Left or Right");
  return side == "Left";
}

template <class Item>
void fill(std::vector<Item>& list, size_t length, bool on_left, const Item& with) {
  list.insert(on_left ? list.begin() : list.end(), length - list.size(), with);
}

}  // namespace

Truncation Truncation::read(const Json& json, const std::string& file) {
  const Fields fields(json, file);
  only_keys(fields, {"direction", "max_length", "strategy", "stride"});
  Truncation out;
  out.from_left = read_left(fields);
  out.max_length = static_cast<size_t>(fields.integer("max_length", {0, kLongest}));
  out.stride = static_cast<size_t>(fields.integer_or("stride", 0, {0, kLongest}));
  const std::string& name = fields.text("strategy");
  const auto found = std::find(kStrategies.begin(), kStrategies.end(), name);
  if (found == kStrategies.end())
    fields.wrong(fields.at("strategy"), "strategy", "LongestFirst, OnlyFirst or OnlySecond");
  out.strategy = static_cast<Strategy>(found - kStrategies.begin());
  return out;
}

Json Truncation::to_json() const {
  return Json::object({{"direction", from_left ? "Left" : "Right"},
                       {"max_length", max_length},
                       {"strategy", kStrategies[static_cast<size_t>(strategy)]},
                       {"stride", stride}});
}

void Truncation::shorten(Encoding& encoding, size_t length) const {
  const size_t size = encoding.ids.size();
  if (length >= size) return;
  ensure<FormatError>(length == 0 || stride < length, "truncation: found the stride ", stride,
                      ", wanted less than the ", length, " tokens that are left");
  from_left ? encoding.keep(size - length, size) : encoding.keep(0, length);
}

// The longer one gives first, until both are equally long.
void Truncation::shorten_longest(std::span<Encoding> encodings, size_t length) const {
  if (encodings.size() == 1) return shorten(encodings[0], length);
  size_t shorter = encodings[0].ids.size(), longer = encodings[1].ids.size();
  const bool swapped = shorter > longer;
  if (swapped) std::swap(shorter, longer);
  longer = shorter > length ? shorter : std::max(shorter, length - shorter);
  if (shorter + longer > length) {
    shorter = length / 2;
    longer = shorter + length % 2;
  }
  if (swapped) std::swap(shorter, longer);
  shorten(encodings[0], shorter);
  shorten(encodings[1], longer);
}

void Truncation::apply(std::span<Encoding> encodings, size_t added) const {
  ensure<FormatError>(max_length >= added, "truncation: found the length ", max_length,
                      ", wanted room for the ", added, " special tokens");
  const size_t length = max_length - added;
  size_t total = 0;
  for (const Encoding& encoding : encodings) total += encoding.ids.size();
  if (length == 0)
    for (Encoding& encoding : encodings) shorten(encoding, 0);
  if (length == 0 || total <= length) return;
  if (strategy == Strategy::longest_first) return shorten_longest(encodings, length);
  const size_t which = strategy == Strategy::only_first ? 0 : 1;
  ensure<FormatError>(which < encodings.size(),
                      "truncation: the second text is to be cut, but there is none");
  const size_t size = encodings[which].ids.size(), remove = total - length;
  ensure<FormatError>(size > remove, "truncation: the text to be cut has ", size,
                      " tokens, wanted more than ", remove);
  shorten(encodings[which], size - remove);
}

Padding Padding::read(const Json& json, const std::string& file) {
  const Fields fields(json, file);
  only_keys(fields,
            {"strategy", "direction", "pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token"});
  Padding out;
  const Json& strategy = fields.at("strategy");
  if (strategy.is_object()) {
    const Fields fixed(strategy, file);
    only_keys(fixed, {"Fixed"});
    out.is_fixed = true;
    // Memory is taken for it at once, so it is not believed blindly.
    out.fixed = static_cast<size_t>(fixed.integer("Fixed", {0, 1 << 20}));
  } else if (!strategy.is_string() || strategy.text() != "BatchLongest") {
    fields.wrong(strategy, "strategy", "\"BatchLongest\" or {\"Fixed\": length}");
  }
  out.on_left = read_left(fields);
  if (fields.has("pad_to_multiple_of"))
    out.multiple_of = static_cast<size_t>(fields.integer("pad_to_multiple_of", {0, 1 << 20}));
  out.id = static_cast<int>(fields.integer_or("pad_id", 0, {0, INT32_MAX}));
  out.type_id = static_cast<int>(fields.integer_or("pad_type_id", 0, {0, INT32_MAX}));
  out.token = fields.text_or("pad_token", "[PAD]");
  return out;
}

Json Padding::to_json() const {
  return Json::object(
      {{"strategy", is_fixed ? Json::object({{"Fixed", fixed}}) : Json("BatchLongest")},
       {"direction", on_left ? "Left" : "Right"},
       {"pad_to_multiple_of", multiple_of ? Json(*multiple_of) : Json()},
       {"pad_id", id},
       {"pad_type_id", type_id},
       {"pad_token", token}});
}

void Padding::apply(std::span<Encoding> batch) const {
  size_t length = fixed;
  if (!is_fixed)
    for (const Encoding& encoding : batch) length = std::max(length, encoding.ids.size());
  if (multiple_of && *multiple_of > 0)
    length = (length + *multiple_of - 1) / *multiple_of * *multiple_of;
  for (Encoding& encoding : batch) {
    if (encoding.ids.size() >= length) continue;
    fill(encoding.ids, length, on_left, id);
    if (encoding.ids_only) continue;
    fill(encoding.tokens, length, on_left, token);
    fill(encoding.offsets, length, on_left, Span{});
    fill(encoding.type_ids, length, on_left, type_id);
    fill<uint8_t>(encoding.special_mask, length, on_left, 1);
    fill<uint8_t>(encoding.attention_mask, length, on_left, 0);
  }
}

}  // namespace jogak::text
