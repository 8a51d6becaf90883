#include "text/stages/pre_tokenizer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "text/reading.h"
#include "text/stages/gpt2_split.h"
#include "text/stages/metaspace.h"
#include "text/stages/split.h"

namespace jogak::text {
namespace {

class ByteLevel : public PreTokenizer {
 public:
  explicit ByteLevel(ByteLevelOptions options) : options_(options) {}

  void split(const Piece& in, PieceSink out) const override {
    if (in.part.from == in.part.to) return;
    if (in.bytes) {  // a second byte level spells the characters of the first in bytes
      const AlignedText text = spelled_out(in);
      return split(whole(text), out);
    }
    if (options_.add_prefix_space && in.text().front() != ' ') {
      const AlignedText text = with_prefix(" ", in);
      return cut(whole(text), out);
    }
    cut(in, out);
  }
  bool makes_bytes() const override { return true; }
  Json to_json() const override { return byte_level_json(options_); }

 private:
  void cut(const Piece& in, PieceSink out) const {
    Piece piece{in.of, in.part, true};
    if (!options_.use_regex) return out(piece);
    const std::string_view text = in.text();
    for (size_t at = 0; at < text.size();) {
      const size_t end = gpt2_piece_end(text, at);
      piece.part = {in.part.from + at, in.part.from + end};
      out(piece);
      at = end;
    }
  }

  ByteLevelOptions options_;
};

class PreTokenizerSequence : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(std::vector<std::unique_ptr<PreTokenizer>> steps)
      : steps_(std::move(steps)) {}
  void split(const Piece& in, PieceSink out) const override { run(0, in, out); }
  bool makes_bytes() const override { return !steps_.empty() && steps_.back()->makes_bytes(); }
  bool needs_origins() const override {
    return std::any_of(steps_.begin(), steps_.end(),
                       [](const auto& step) { return step->needs_origins(); });
  }
  Json to_json() const override {
    Json list = Json::array();
    for (const auto& step : steps_) list.push(step->to_json());
    return Json::object({{"type", "Sequence"}, {"pretokenizers", list}});
  }

 private:
  // As deep as there are steps, which reading limits.
  void run(size_t step, const Piece& in, PieceSink out) const {
    if (step == steps_.size()) return out(in);
    steps_[step]->split(in, [&](const Piece& piece) { run(step + 1, piece, out); });
  }

  std::vector<std::unique_ptr<PreTokenizer>> steps_;
};

// Each doubles every byte above ASCII of the one before it.
constexpr size_t kMostByteLevels = 8;

size_t byte_levels(const Json& json) {
  if (!json.is_object()) return 0;
  const Json *const type = json.find("type"), *const steps = json.find("pretokenizers");
  size_t count = type && type->is_string() && type->text() == "ByteLevel" ? 1 : 0;
  if (steps && steps->is_array())
    for (const Json& step : steps->items()) count += byte_levels(step);
  return count;
}

}  // namespace

void CharacterCutter::split(const Piece& in, PieceSink out) const {
  if (!in.bytes) return cut(in, out);
  const AlignedText text = spelled_out(in);
  cut(whole(text), out);
}

ByteLevelOptions read_byte_level(const Fields& fields) {
  only_keys(fields, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  return {fields.flag_or("add_prefix_space", true), fields.flag_or("trim_offsets", true),
          fields.flag_or("use_regex", true)};
}

Json byte_level_json(const ByteLevelOptions& options) {
  return Json::object({{"type", "ByteLevel"},
                       {"add_prefix_space", options.add_prefix_space},
                       {"trim_offsets", options.trim_offsets},
                       {"use_regex", options.use_regex}});
}

std::unique_ptr<PreTokenizer> make_byte_level(ByteLevelOptions options) {
  return std::make_unique<ByteLevel>(options);
}

std::unique_ptr<PreTokenizer> make_split_isolated(std::unique_ptr<Pattern> pattern) {
  return std::make_unique<Split>(std::move(pattern), SplitBehavior::isolated, false);
}

std::unique_ptr<PreTokenizer> PreTokenizer::read(const Json& json, const std::string& file) {
  const Fields fields(json, file);
  const std::string& type = type_of(fields, "pre_tokenizer");
  if (type == "ByteLevel") return make_byte_level(read_byte_level(fields));
  if (type == "Split") return Split::read(fields);
  if (type == "Metaspace") return make_metaspace(read_metaspace(fields));
  if (type == "Sequence") {
    only_keys(fields, {"type", "pretokenizers"});
    const size_t levels = byte_levels(json);
    ensure<FormatError>(levels <= kMostByteLevels, file, ": byte ", json.offset(), ": found ",
                        levels, " steps of type \"ByteLevel\", wanted at most ", kMostByteLevels);
    std::vector<std::unique_ptr<PreTokenizer>> steps;
    for (const Json& step : steps_of(fields, "pretokenizers")) steps.push_back(read(step, file));
    return std::make_unique<PreTokenizerSequence>(std::move(steps));
  }
  if (auto cutter = read_class_cutter(fields, type)) return cutter;
  unsupported_type(fields, "pre_tokenizer");
}

}  // namespace jogak::text
