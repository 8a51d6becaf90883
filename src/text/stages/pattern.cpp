#include "text/stages/pattern.h"

#include <cstring>
#include <utility>

#include "text/reading.h"
#include "text/regex/regex.h"
#include "text/stages/gpt2_split.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

// find() compares the whole string at every place it may start; that adds up for long ones.
size_t find_text(std::string_view text, std::string_view wanted, size_t from) {
  constexpr size_t kShort = 64;
  if (wanted.size() < kShort || from > text.size()) return text.find(wanted, from);
  const void* const found =
      memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  if (!found) return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

class Literal : public Pattern {
 public:
  explicit Literal(std::string wanted) : wanted_(std::move(wanted)) {}
  void find(std::string_view text, SpanSink match) const override {
    for (size_t at = find_text(text, wanted_, 0); at != std::string_view::npos;
         at = find_text(text, wanted_, at + wanted_.size()))
      match({at, at + wanted_.size()});
  }
  Json to_json() const override { return Json::object({{"String", wanted_}}); }
  std::string_view literal() const override { return wanted_; }

 private:
  std::string wanted_;
};

// The empty string is found between any two characters, and at both ends.
class EmptyLiteral : public Pattern {
 public:
  void find(std::string_view text, SpanSink match) const override {
    for (size_t at = 0; at < text.size(); at += static_cast<size_t>(size_from_first(text[at])))
      match({at, at});
    match({text.size(), text.size()});
  }
  Json to_json() const override { return Json::object({{"String", ""}}); }
};

constexpr std::string_view kEveryCharacter = R"([\s\S])";

class EveryCharacter : public Pattern {
 public:
  void find(std::string_view text, SpanSink match) const override {
    for (size_t at = 0; at < text.size();) {
      const size_t end = at + static_cast<size_t>(size_from_first(text[at]));
      match({at, end});
      at = end;
    }
  }
  Json to_json() const override { return Json::object({{"Regex", kEveryCharacter}}); }
};

class Gpt2Words : public Pattern {
 public:
  void find(std::string_view text, SpanSink match) const override {
    for (size_t at = 0; at < text.size();) {
      const size_t end = gpt2_piece_end(text, at);
      match({at, end});
      at = end;
    }
  }
  Json to_json() const override { return Json::object({{"Regex", kGpt2Pattern}}); }
};

class RegexPattern : public Pattern {
 public:
  explicit RegexPattern(Regex regex) : regex_(std::move(regex)) {}
  void find(std::string_view text, SpanSink match) const override { regex_.find(text, match); }
  Json to_json() const override { return Json::object({{"Regex", regex_.pattern()}}); }

 private:
  Regex regex_;
};

}  // namespace

std::unique_ptr<Pattern> Pattern::every_character() { return std::make_unique<EveryCharacter>(); }

std::unique_ptr<Pattern> Pattern::read(const Json& json, const std::string& file) {
  const Fields fields(json, file);
  only_keys(fields, {"String", "Regex"});
  if (fields.has("String") == fields.has("Regex"))
    fail<FormatError>(file, ": byte ", json.offset(),
                      ": a pattern needs either \"String\" or \"Regex\"");
  if (fields.has("String")) {
    const std::string& wanted = fields.text("String");
    if (wanted.empty()) return std::make_unique<EmptyLiteral>();
    return std::make_unique<Literal>(wanted);
  }
  const std::string& regex = fields.text("Regex");
  if (regex == kEveryCharacter) return every_character();
  if (regex == kGpt2Pattern) return std::make_unique<Gpt2Words>();
  return std::make_unique<RegexPattern>(
      Regex(regex, text_of(file, ": byte ", fields.at("Regex").offset())));
}

}  // namespace jogak::text
