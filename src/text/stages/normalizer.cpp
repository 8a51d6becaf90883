#include "text/stages/normalizer.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "text/reading.h"
#include "text/stages/charsmap.h"
#include "text/stages/growth.h"
#include "text/stages/normalizer_steps.h"
#include "text/stages/pattern.h"
#include "text/unicode/case.h"
#include "text/unicode/normal.h"

namespace jogak::text {
namespace {

// One that is a function of the text and keeps nothing but its JSON.
class Step : public Normalizer {
 public:
  Step(Json json, std::function<AlignedText(AlignedText)> apply)
      : json_(std::move(json)), apply_(std::move(apply)) {}
  AlignedText apply(AlignedText in) const override { return apply_(std::move(in)); }
  Json to_json() const override { return json_; }

 private:
  Json json_;
  std::function<AlignedText(AlignedText)> apply_;
};

class Replace : public Normalizer {
 public:
  Replace(std::unique_ptr<Pattern> pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  // What is put in stands for the last character of what it replaces.
  AlignedText apply(AlignedText in) const override {
    const std::string_view text = in.text();
    if (text.empty()) return in;
    Rewriter out(whole(in));
    size_t done = 0, added = 0;
    bool found = false;
    pattern_->find(text, [&](Span match) {
      found = true;
      added += content_.size();
      limit_growth("text", text.size(), added);
      out.keep(done, match.from);
      out.put(content_, match.to == 0 ? Rewriter::kNothing : match.to - 1);
      done = match.to;
    });
    if (!found) return in;
    out.keep(done, text.size());
    return out.done();
  }
  Json to_json() const override {
    return Json::object(
        {{"type", "Replace"}, {"pattern", pattern_->to_json()}, {"content", content_}});
  }

 private:
  std::unique_ptr<Pattern> pattern_;
  std::string content_;
};

class Precompiled : public Normalizer {
 public:
  explicit Precompiled(Charsmap map) : map_(std::move(map)) {}
  AlignedText apply(AlignedText in) const override { return map_.apply(std::move(in)); }
  Json to_json() const override {
    return Json::object({{"type", "Precompiled"}, {"precompiled_charsmap", map_.to_base64()}});
  }

 private:
  Charsmap map_;
};

class NormalizerSequence : public Normalizer {
 public:
  explicit NormalizerSequence(std::vector<std::unique_ptr<Normalizer>> steps)
      : steps_(std::move(steps)) {}
  AlignedText apply(AlignedText in) const override {
    const size_t size = in.text().size();
    for (const auto& step : steps_) {
      in = step->apply(std::move(in));
      limit_growth("text", size, in.text().size());
    }
    return in;
  }
  Json to_json() const override {
    Json list = Json::array();
    for (const auto& step : steps_) list.push(step->to_json());
    return Json::object({{"type", "Sequence"}, {"normalizers", list}});
  }

 private:
  std::vector<std::unique_ptr<Normalizer>> steps_;
};

std::unique_ptr<Normalizer> step(Json json, std::function<AlignedText(AlignedText)> apply) {
  return std::make_unique<Step>(std::move(json), std::move(apply));
}

constexpr std::pair<const char*, NormalForm> kForms[] = {{"NFC", NormalForm::nfc},
                                                         {"NFD", NormalForm::nfd},
                                                         {"NFKC", NormalForm::nfkc},
                                                         {"NFKD", NormalForm::nfkd}};

// Those without settings.
std::unique_ptr<Normalizer> read_plain(const Fields& fields, const std::string& type) {
  std::function<AlignedText(AlignedText)> apply;
  for (const auto& [name, form] : kForms) {
    if (type != name) continue;
    only_keys(fields, {"type"});
    return make_normal_form(form);
  }
  if (type == "Lowercase") apply = lowercased;
  if (type == "StripAccents") apply = without_marks;
  if (type == "Nmt") apply = nmt;
  if (type == "ByteLevel") apply = in_byte_characters;
  if (!apply) return nullptr;
  only_keys(fields, {"type"});
  return step(Json::object({{"type", type}}), std::move(apply));
}

std::unique_ptr<Normalizer> read_strip(const Fields& fields) {
  only_keys(fields, {"type", "strip_left", "strip_right"});
  const bool left = fields.flag_or("strip_left", true), right = fields.flag_or("strip_right", true);
  return step(Json::object({{"type", "Strip"}, {"strip_left", left}, {"strip_right", right}}),
              [left, right](AlignedText in) { return stripped(std::move(in), left, right); });
}

std::unique_ptr<Normalizer> read_prepend(const Fields& fields) {
  only_keys(fields, {"type", "prepend"});
  const std::string& prefix = fields.text("prepend");
  return step(Json::object({{"type", "Prepend"}, {"prepend", prefix}}), [prefix](AlignedText in) {
    if (in.text().empty()) return in;
    limit_growth("text", in.text().size(), prefix.size());
    return with_prefix(prefix, whole(in));
  });
}

std::unique_ptr<Normalizer> read_bert(const Fields& fields) {
  only_keys(fields, {"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"});
  const bool lowercase = fields.flag_or("lowercase", true);
  const BertOptions options{fields.flag_or("clean_text", true),
                            fields.flag_or("handle_chinese_chars", true),
                            fields.flag_or("strip_accents", lowercase), lowercase};
  return make_bert_normalizer(options, fields.has("strip_accents"));
}

}  // namespace

std::unique_ptr<Normalizer> make_normal_form(NormalForm form) {
  const auto named = std::find_if(std::begin(kForms), std::end(kForms),
                                  [&](const auto& one) { return one.second == form; });
  return step(Json::object({{"type", named->first}}),
              [form](AlignedText in) { return normalized(std::move(in), form); });
}

std::unique_ptr<Normalizer> make_normalizer_sequence(
    std::vector<std::unique_ptr<Normalizer>> steps) {
  return std::make_unique<NormalizerSequence>(std::move(steps));
}

std::unique_ptr<Normalizer> make_bert_normalizer(BertOptions options, bool names_accents) {
  return step(Json::object({{"type", "BertNormalizer"},
                            {"clean_text", options.clean_text},
                            {"handle_chinese_chars", options.spaced_chinese},
                            {"strip_accents", names_accents ? Json(options.strip_accents) : Json()},
                            {"lowercase", options.lowercase}}),
              [options](AlignedText in) { return bert_normalized(std::move(in), options); });
}

std::unique_ptr<Normalizer> Normalizer::read(const Json& json, const std::string& file) {
  const Fields fields(json, file);
  const std::string& type = type_of(fields, "normalizer");
  if (auto plain = read_plain(fields, type)) return plain;
  if (type == "Strip") return read_strip(fields);
  if (type == "Prepend") return read_prepend(fields);
  if (type == "BertNormalizer") return read_bert(fields);
  if (type == "Replace") {
    only_keys(fields, {"type", "pattern", "content"});
    return std::make_unique<Replace>(Pattern::read(fields.at("pattern"), file),
                                     fields.text("content"));
  }
  if (type == "Precompiled") {
    only_keys(fields, {"type", "precompiled_charsmap"});
    const std::string& table = fields.text("precompiled_charsmap");
    const size_t at = fields.at("precompiled_charsmap").offset();
    return std::make_unique<Precompiled>(
        Charsmap::from_base64(table, text_of(file, ": byte ", at, ": precompiled_charsmap")));
  }
  if (type == "Sequence") {
    only_keys(fields, {"type", "normalizers"});
    std::vector<std::unique_ptr<Normalizer>> steps;
    for (const Json& one : steps_of(fields, "normalizers")) steps.push_back(read(one, file));
    return make_normalizer_sequence(std::move(steps));
  }
  unsupported_type(fields, "normalizer");
}

}  // namespace jogak::text
