#include "text/train_bpe.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "base/utf8.h"
#include "text/bpe.h"
#include "text/bpe_trainer.h"
#include "text/byte_level.h"
#include "text/tokenizer_parts.h"

namespace jogak {
namespace {

using text::CountedWord;

// Different words in the order they are first seen. Their bytes stay in the texts, except where
// a prefix space made a new text.
class WordCounter {
 public:
  explicit WordCounter(const BpeTrainOptions& options)
      : options_(options),
        splitter_(text::make_byte_level({.add_prefix_space = options.add_prefix_space})) {}

  void count(std::span<const std::string_view> texts) {
    const auto total = static_cast<int64_t>(texts.size());
    for (int64_t i = 0; i < total; ++i) {
      const std::string_view text = texts[i];
      const size_t bad = utf8::first_invalid(text);
      ensure<FormatError>(bad == std::string_view::npos, "text ", i, ": byte ", bad,
                          ": found bytes that are not UTF-8, wanted UTF-8 text");
      const text::AlignedText all(text, {0, text.size()}, false);
      splitter_->split(text::whole(all), [&](const text::Piece& piece) { add(piece); });
      if (options_.progress && (i % 1024 == 0 || i + 1 == total))
        options_.progress({"counting words", i + 1, total});
    }
  }
  const std::vector<CountedWord>& words() const { return words_; }

 private:
  void add(const text::Piece& piece) {
    const std::string_view word = piece.text();
    const auto [number, fresh] = index_.insert(word, [&](uint32_t i) { return words_[i].text; });
    if (fresh) {
      const bool kept = !piece.of->is_changed();
      words_.push_back({kept ? word : own_.emplace_back(word), 0});
    }
    ++words_[number].count;
  }

  const BpeTrainOptions& options_;
  std::unique_ptr<text::PreTokenizer> splitter_;
  text::StringIndex index_;
  std::vector<CountedWord> words_;
  std::deque<std::string> own_;
};

// Special tokens, then the bytes in the order of their characters.
text::Vocab starting_vocab(const BpeTrainOptions& options) {
  text::Vocab vocab;
  for (const std::string& special : options.special_tokens) {
    ensure<UsageError>(!special.empty(), "a special token is empty");
    ensure<UsageError>(vocab.find(special) < 0, "special token ", special, " is given twice");
    vocab.add(special, vocab.size());
  }
  for (const uint8_t byte : text::byte_level::alphabet_order()) {
    const auto c = static_cast<char>(byte);
    const std::string character = text::byte_level::to_characters({&c, 1});
    if (vocab.find(character) < 0) vocab.add(character, vocab.size());
  }
  return vocab;
}

void check(const BpeTrainOptions& options) {
  const auto least = static_cast<int64_t>(options.special_tokens.size()) + 256;
  ensure<UsageError>(options.vocab_size >= least, "vocabulary size: found ", options.vocab_size,
                     ", wanted at least ", least, " (256 bytes and ", options.special_tokens.size(),
                     " special tokens)");
  ensure<UsageError>(options.min_frequency >= 0, "minimum frequency: found ", options.min_frequency,
                     ", wanted at least 0");
}

struct Learned {
  text::Vocab vocab;
  std::vector<text::MergeTable::Merge> merges;
};

Learned learn(std::span<const CountedWord> words, const BpeTrainOptions& options) {
  Learned out{starting_vocab(options), {}};
  std::array<int, 256> byte_ids{};
  for (int i = 0; i < 256; ++i) {
    const auto c = static_cast<char>(i);
    byte_ids[i] = out.vocab.find(text::byte_level::to_characters({&c, 1}));
  }
  text::BpeTrainer trainer(words, byte_ids);
  text::BpeTrainer::Best best{};
  while (out.vocab.size() < options.vocab_size && trainer.next(best)) {
    if (best.count < options.min_frequency) break;
    const std::string joined =
        std::string(out.vocab.token(best.left)) + std::string(out.vocab.token(best.right));
    int id = out.vocab.find(joined);  // another pair may have made this token already
    if (id < 0) out.vocab.add(joined, id = out.vocab.size());
    out.merges.push_back({best.left, best.right, id});
    trainer.merge(id);
    if (options.progress && (out.merges.size() % 64 == 0))
      options.progress({"merging", out.vocab.size(), options.vocab_size});
  }
  if (options.progress) options.progress({"merging", out.vocab.size(), out.vocab.size()});
  return out;
}

// A pair that was merged in two goes keeps its last rank, as in the reference.
text::MergeTable ranked(const std::vector<text::MergeTable::Merge>& merges) {
  text::FlatMap seen;
  std::vector<const text::MergeTable::Merge*> kept;
  for (auto merge = merges.rbegin(); merge != merges.rend(); ++merge) {
    const auto next = static_cast<uint32_t>(kept.size());
    if (seen.insert(text::pair_key(merge->left, merge->right), next) == next)
      kept.push_back(&*merge);
  }
  text::MergeTable table;
  for (auto merge = kept.rbegin(); merge != kept.rend(); ++merge) table.add(**merge);
  return table;
}

}  // namespace

Tokenizer train_bpe(std::span<const std::string_view> texts, const BpeTrainOptions& options) {
  check(options);
  WordCounter counter(options);
  counter.count(texts);
  Learned learned = learn(counter.words(), options);
  TokenizerParts parts;
  for (const std::string& special : options.special_tokens)
    parts.added.add({.id = learned.vocab.find(special), .content = special, .special = true},
                    learned.vocab, "special tokens");
  parts.pre_tokenizer = text::make_byte_level({.add_prefix_space = options.add_prefix_space});
  parts.decoder = text::make_byte_level_decoder();
  parts.model = std::make_unique<text::Bpe>(std::move(learned.vocab), ranked(learned.merges),
                                            text::BpeOptions{});
  return Tokenizer(std::move(parts));
}

}  // namespace jogak
