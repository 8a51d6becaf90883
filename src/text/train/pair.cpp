#include <functional>
#include <optional>
#include <utility>

#include "base/progress.h"
#include "text/pair_tokenizer.h"
#include "text/spm/file.h"
#include "text/spm/marian_files.h"
#include "text/train/spm.h"

namespace jogak {
namespace {

text::Vocab number(const std::string& spm, const text::MarianTokens& tokens, bool pad_last) {
  text::Vocab vocab;
  const auto add = [&](const std::string& token) { vocab.add(token, vocab.size()); };
  add(tokens.eos);
  add(tokens.unk);
  if (!pad_last) add(tokens.pad);
  for (const text::SpmPiece& piece : text::read_spm(spm, "trained.spm").pieces)
    if (vocab.find(piece.text) < 0) add(piece.text);
  if (pad_last) add(tokens.pad);
  return vocab;
}

// One progress line for reading, one for learning.
class Shown {
 public:
  explicit Shown(const std::function<void()>& alive) : alive_(alive) {}
  void operator()(const TrainProgress& now) {
    if (alive_) alive_();
    if (stage_ != now.stage) {
      constexpr Words kReading{"글 읽기", "reading text"};
      constexpr Words kLearning{"조각 배우기, 초", "learning pieces, seconds"};
      const Lang lang = log_language();
      stage_ = now.stage;
      line_.reset();
      const Words& title = stage_ == "reading" ? kReading : kLearning;
      line_.emplace(std::string(title(lang)), now.total, lang);
    }
    line_->update(now.done);
  }

 private:
  const std::function<void()>& alive_;
  std::string stage_;
  std::optional<Progress> line_;
};

}  // namespace

PairTokenizer train_pair_tokenizer(std::span<const std::string_view> source,
                                   std::span<const std::string_view> target,
                                   const PairTraining& training) {
  const text::MarianTokens tokens;
  Shown shown(training.alive);
  const SpmTraining settings{.type = training.type,
                             .vocab_size = training.vocab_size,
                             .extra = 1,
                             .unk = tokens.unk,
                             .eos = tokens.eos,
                             .control = {},
                             .coverage = training.coverage,
                             .normalize = training.normalize,
                             .dummy_prefix = training.normalize || training.type != "char",
                             .progress = std::ref(shown)};
  const auto side = [&](const std::string& spm) {
    return text::make_marian_side({spm, spm, number(spm, tokens, training.shared), tokens},
                                  "trained.spm", "trained vocabulary");
  };
  if (!training.shared)
    return {.source = side(train_spm(source, settings)),
            .target = side(train_spm(target, settings)),
            .shared = false};
  std::vector<std::string_view> both(source.begin(), source.end());
  both.insert(both.end(), target.begin(), target.end());
  const std::string spm = train_spm(both, settings);
  return {.source = side(spm), .target = side(spm), .shared = true};
}

}  // namespace jogak
