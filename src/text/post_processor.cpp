#include "text/post_processor.h"

#include <algorithm>
#include <utility>

#include "text/byte_level.h"
#include "text/pre_tokenizer.h"
#include "text/reading.h"
#include "text/unicode.h"

namespace jogak::text {
namespace {

struct Spaces {
  size_t leading = 0, trailing = 0;  // characters
};

Spaces spaces_of(std::string_view token) {
  Spaces out;
  size_t characters = 0;
  bool only_spaces = true;
  for (size_t at = 0; at < token.size(); ++characters) {
    const Code next = code_at(token.data() + at);
    const bool space =
        next.value == byte_level::character(' ') || (class_table()[next.value] & kSpace) != 0;
    only_spaces = only_spaces && space;
    out.trailing = space ? out.trailing + 1 : 0;
    if (only_spaces) out.leading = characters + 1;
    at += next.size;
  }
  return out;
}

// Takes the spaces off the offsets, though they stay in the tokens.
class ByteLevelTrim : public PostProcessor {
 public:
  explicit ByteLevelTrim(ByteLevelOptions options) : options_(options) {}
  void apply(Encoding& encoding, bool) const override {
    if (!options_.trim_offsets) return;
    for (size_t i = 0; i < encoding.tokens.size(); ++i) {
      Span& span = encoding.offsets[i];
      auto [leading, trailing] = spaces_of(encoding.tokens[i]);
      if (leading > 0) {
        // A single space at the start may be the one that add_prefix_space put in.
        if (options_.add_prefix_space && leading == 1 && (i == 0 || span.from == 0)) leading = 0;
        span.from = std::min(span.from + leading, span.to);
      }
      if (trailing > 0 && span.to >= trailing) span.to = std::max(span.to - trailing, span.from);
    }
  }
  bool changes_ids() const override { return false; }
  Json to_json() const override { return byte_level_json(options_); }

 private:
  ByteLevelOptions options_;
};

class PostProcessorSequence : public PostProcessor {
 public:
  explicit PostProcessorSequence(std::vector<std::unique_ptr<PostProcessor>> steps)
      : steps_(std::move(steps)) {}
  void apply(Encoding& encoding, bool add_special) const override {
    for (const auto& step : steps_) step->apply(encoding, add_special);
  }
  bool changes_ids() const override {
    return std::any_of(steps_.begin(), steps_.end(),
                       [](const auto& step) { return step->changes_ids(); });
  }
  Json to_json() const override {
    Json list = Json::array();
    for (const auto& step : steps_) list.push(step->to_json());
    return Json::object({{"type", "Sequence"}, {"processors", list}});
  }

 private:
  std::vector<std::unique_ptr<PostProcessor>> steps_;
};

}  // namespace

std::unique_ptr<PostProcessor> PostProcessor::read(const Json& json, const std::string& file) {
  const Fields fields(json, file);
  const std::string& type = type_of(fields, "post_processor");
  if (type == "ByteLevel") return std::make_unique<ByteLevelTrim>(read_byte_level(fields));
  if (type == "Sequence") {
    only_keys(fields, {"type", "processors"});
    std::vector<std::unique_ptr<PostProcessor>> steps;
    for (const Json& step : steps_of(fields, "processors")) steps.push_back(read(step, file));
    return std::make_unique<PostProcessorSequence>(std::move(steps));
  }
  unsupported_type(fields, "post_processor");
}

}  // namespace jogak::text
