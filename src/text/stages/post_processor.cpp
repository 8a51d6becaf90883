#include "text/stages/post_processor.h"

#include <algorithm>
#include <utility>

#include "text/reading.h"
#include "text/stages/byte_level.h"
#include "text/stages/pre_tokenizer.h"
#include "text/unicode/unicode.h"

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
    at += static_cast<size_t>(next.size);
  }
  return out;
}

// Takes the spaces off the offsets, though they stay in the tokens.
void trim_offsets(std::vector<Encoding>& parts, bool add_prefix_space) {
  for (Encoding& encoding : parts) {
    for (size_t i = 0; i < encoding.tokens.size(); ++i) {
      Span& span = encoding.offsets[i];
      auto [leading, trailing] = spaces_of(encoding.tokens[i]);
      if (leading > 0) {
        // A single space at the start may be the one that add_prefix_space put in.
        if (add_prefix_space && leading == 1 && (i == 0 || span.from == 0)) leading = 0;
        span.from = std::min(span.from + leading, span.to);
      }
      if (trailing > 0 && span.to >= trailing) span.to = std::max(span.to - trailing, span.from);
    }
  }
}

class ByteLevelTrim : public PostProcessor {
 public:
  explicit ByteLevelTrim(ByteLevelOptions options) : options_(options) {}
  void process(std::vector<Encoding>& parts, bool) const override {
    if (options_.trim_offsets) trim_offsets(parts, options_.add_prefix_space);
  }
  size_t added(bool) const override { return 0; }
  Json to_json() const override { return byte_level_json(options_); }

 private:
  ByteLevelOptions options_;
};

SpecialToken read_token(const Fields& fields, const char* key) {
  const auto& pair = fields.list(key);
  if (pair.size() != 2 || !pair[0].is_string() || !pair[1].is_integer() || pair[1].integer() < 0 ||
      pair[1].integer() > INT32_MAX)
    fail<FormatError>(fields.file(), ": byte ", fields.at(key).offset(), ": \"", key,
                      "\": wanted [\"token\", id]");
  return {static_cast<int>(pair[1].integer()), pair[0].text()};
}

Json token_json(const SpecialToken& token) {
  return Json::array({Json(token.token), Json(token.id)});
}

// BERT's [CLS] a [SEP] b [SEP] and RoBERTa's <s> a </s> </s> b </s>.
class ClassifierProcessing : public PostProcessor {
 public:
  static std::unique_ptr<PostProcessor> read(const Fields& fields, bool roberta) {
    auto out = std::make_unique<ClassifierProcessing>();
    out->roberta_ = roberta;
    roberta ? only_keys(fields, {"type", "sep", "cls", "trim_offsets", "add_prefix_space"})
            : only_keys(fields, {"type", "sep", "cls"});
    out->sep_ = read_token(fields, "sep");
    out->cls_ = read_token(fields, "cls");
    out->trims_ = roberta && fields.flag_or("trim_offsets", true);
    out->prefix_space_ = fields.flag_or("add_prefix_space", true);
    return out;
  }

  void process(std::vector<Encoding>& parts, bool add_special) const override {
    if (trims_) trim_offsets(parts, prefix_space_);
    for (size_t i = 0; i < parts.size(); ++i) {
      Encoding& part = parts[i];
      if (roberta_) std::fill(part.type_ids.begin(), part.type_ids.end(), 0);
      if (!add_special) continue;
      Encoding out;
      out.ids_only = part.ids_only;
      if (i == 0) append_special(out, cls_, 0);
      if (i > 0 && roberta_) append_special(out, sep_, 0);
      out.append(part);
      std::fill(out.special_mask.begin(), out.special_mask.end(), uint8_t{0});
      append_special(out, sep_, i == 0 || roberta_ ? 0 : 1);
      if (!out.ids_only && (i == 0 || roberta_)) out.special_mask[0] = 1;
      part = std::move(out);
    }
  }
  size_t added(bool pair) const override { return !pair ? 2 : roberta_ ? 4 : 3; }
  Json to_json() const override {
    Json out = Json::object({{"type", roberta_ ? "RobertaProcessing" : "BertProcessing"},
                             {"sep", token_json(sep_)},
                             {"cls", token_json(cls_)}});
    if (roberta_) {
      out.set("trim_offsets", trims_);
      out.set("add_prefix_space", prefix_space_);
    }
    return out;
  }

 private:
  SpecialToken sep_, cls_;
  bool roberta_ = false, trims_ = false, prefix_space_ = true;
};

class PostProcessorSequence : public PostProcessor {
 public:
  explicit PostProcessorSequence(std::vector<std::unique_ptr<PostProcessor>> steps)
      : steps_(std::move(steps)) {}
  void process(std::vector<Encoding>& parts, bool add_special) const override {
    for (const auto& step : steps_) step->process(parts, add_special);
  }
  size_t added(bool pair) const override {
    size_t sum = 0;
    for (const auto& step : steps_) sum += step->added(pair);
    return sum;
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
  if (type == "TemplateProcessing") return read_template(fields);
  if (type == "BertProcessing" || type == "RobertaProcessing")
    return ClassifierProcessing::read(fields, type == "RobertaProcessing");
  if (type == "Sequence") {
    only_keys(fields, {"type", "processors"});
    std::vector<std::unique_ptr<PostProcessor>> steps;
    for (const Json& step : steps_of(fields, "processors")) steps.push_back(read(step, file));
    return std::make_unique<PostProcessorSequence>(std::move(steps));
  }
  unsupported_type(fields, "post_processor");
}

}  // namespace jogak::text
