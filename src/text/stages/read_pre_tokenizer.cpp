#include <algorithm>
#include <utility>
#include <vector>

#include "text/reading.h"
#include "text/stages/metaspace.h"
#include "text/stages/pre_tokenizer.h"
#include "text/stages/split.h"

namespace jogak::text {
namespace {

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
