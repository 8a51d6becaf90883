// Pre-tokenizers that go through a text character by character.
#include <utility>

#include "base/utf8.h"
#include "text/reading.h"
#include "text/stages/pre_tokenizer.h"
#include "text/stages/split.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

constexpr int kDropped = -1, kAlone = -2;

// Cuts a text where the label of its characters changes. Dropped ones belong to no piece, kAlone
// ones are pieces of their own.
template <class LabelOf>
void cut_by_label(const Piece& in, PieceSink out, LabelOf&& label_of) {
  const std::string_view text = in.text();
  size_t start = 0;
  int open = kDropped;
  const auto close = [&](size_t end) {
    if (open != kDropped && start < end) out({in.of, {in.part.from + start, in.part.from + end}});
    start = end;
  };
  for (size_t at = 0; at < text.size();) {
    const Code next = code_at(text.data() + at);
    const int label = label_of(next.value);
    if (label != open || label == kAlone) {
      close(at);
      open = label;
    }
    at += static_cast<size_t>(next.size);
  }
  close(text.size());
}

// A pre-tokenizer without settings that is one function from class to label.
template <class LabelOf>
class ClassCutter : public CharacterCutter {
 public:
  ClassCutter(Json json, LabelOf label_of)
      : json_(std::move(json)), label_of_(std::move(label_of)) {}
  Json to_json() const override { return json_; }

 private:
  void cut(const Piece& in, PieceSink out) const override {
    const ClassTable& classes = class_table();
    cut_by_label(in, out, [&](char32_t code) { return label_of_(code, classes[code]); });
  }
  Json json_;
  LabelOf label_of_;
};

template <class LabelOf>
std::unique_ptr<PreTokenizer> make_cutter(Json json, LabelOf label_of) {
  return std::make_unique<ClassCutter<LabelOf>>(std::move(json), std::move(label_of));
}

Json only_type(std::string_view type) { return Json::object({{"type", type}}); }

class Punctuation : public CharacterCutter {
 public:
  explicit Punctuation(SplitBehavior behavior) : behavior_(behavior) {}
  Json to_json() const override {
    return Json::object({{"type", "Punctuation"}, {"behavior", behavior_name(behavior_)}});
  }

 private:
  void cut(const Piece& in, PieceSink out) const override {
    const ClassTable& classes = class_table();
    const std::string_view text = in.text();
    const auto find = [&](SpanSink match) {
      for (size_t at = 0; at < text.size();) {
        const Code next = code_at(text.data() + at);
        const size_t end = at + static_cast<size_t>(next.size);
        if (classes[next.value] & kPunctuation) match({at, end});
        at = end;
      }
    };
    split_at(in, behavior_, false, find, out);
  }
  SplitBehavior behavior_;
};

// Characters of every script, such as spaces, go with the script before them; at the start of a
// text they go away, as in the reference.
class UnicodeScripts : public CharacterCutter {
 public:
  Json to_json() const override { return only_type("UnicodeScripts"); }

 private:
  void cut(const Piece& in, PieceSink out) const override {
    int script = kDropped;
    cut_by_label(in, out, [&](char32_t code) {
      const int next = script_number(code);
      return script = next == 0 ? script : next;
    });
  }
};

class FixedLength : public CharacterCutter {
 public:
  explicit FixedLength(size_t length) : length_(length) {}
  Json to_json() const override {
    return Json::object({{"type", "FixedLength"}, {"length", length_}});
  }

 private:
  void cut(const Piece& in, PieceSink out) const override {
    const std::string_view text = in.text();
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      for (size_t i = 0; i < length_ && end < text.size(); ++i)
        end += static_cast<size_t>(size_from_first(text[end]));
      out({in.of, {in.part.from + at, in.part.from + end}});
      at = end;
    }
  }
  size_t length_;
};

std::unique_ptr<PreTokenizer> digits(const Fields& fields) {
  only_keys(fields, {"type", "individual_digits"});
  const bool alone = fields.flag_or("individual_digits", false);
  return make_cutter(Json::object({{"type", "Digits"}, {"individual_digits", alone}}),
                     [label = alone ? kAlone : 1](char32_t, uint8_t classes) {
                       return classes & kNumeric ? label : 0;
                     });
}

std::unique_ptr<PreTokenizer> char_delimiter(const Fields& fields) {
  only_keys(fields, {"type", "delimiter"});
  const std::string& delimiter = fields.text("delimiter");
  if (utf8::count(delimiter) != 1)
    fields.wrong(fields.at("delimiter"), "delimiter", "one character");
  return make_cutter(Json::object({{"type", "CharDelimiterSplit"}, {"delimiter", delimiter}}),
                     [wanted = code_at(delimiter.data()).value](char32_t code, uint8_t) {
                       return code == wanted ? kDropped : 0;
                     });
}

}  // namespace

std::unique_ptr<PreTokenizer> make_bert_pre_tokenizer() {
  return make_cutter(only_type("BertPreTokenizer"), [](char32_t, uint8_t classes) {
    return classes & kSpace ? kDropped : classes & kPunctuation ? kAlone : 0;
  });
}

std::unique_ptr<PreTokenizer> read_class_cutter(const Fields& fields, const std::string& type) {
  if (type == "Digits") return digits(fields);
  if (type == "CharDelimiterSplit") return char_delimiter(fields);
  if (type == "Punctuation") {
    only_keys(fields, {"type", "behavior"});
    return std::make_unique<Punctuation>(fields.has("behavior") ? read_behavior(fields)
                                                                : SplitBehavior::isolated);
  }
  if (type == "FixedLength") {
    only_keys(fields, {"type", "length"});
    return std::make_unique<FixedLength>(fields.integer_or("length", 5, {1, 1 << 30}));
  }
  const bool plain = type == "BertPreTokenizer" || type == "Whitespace" ||
                     type == "WhitespaceSplit" || type == "UnicodeScripts";
  if (!plain) return nullptr;
  only_keys(fields, {"type"});
  if (type == "BertPreTokenizer") return make_bert_pre_tokenizer();
  if (type == "UnicodeScripts") return std::make_unique<UnicodeScripts>();
  if (type == "WhitespaceSplit")
    return make_cutter(only_type(type),
                       [](char32_t, uint8_t classes) { return classes & kSpace ? kDropped : 0; });
  return make_cutter(only_type(type), [](char32_t, uint8_t classes) {
    return classes & kWord ? 1 : classes & kSpace ? kDropped : 0;
  });
}

}  // namespace jogak::text
