#include "text/train/word_piece.h"

#include <algorithm>
#include <utility>

#include "text/models/word_piece.h"
#include "text/tokenizer_parts.h"
#include "text/train/learn_merges.h"
#include "text/train/word_counter.h"

namespace jogak {
namespace {

constexpr const char *kPrefix = "##", *kOpen = "[CLS]", *kClose = "[SEP]";

std::vector<std::string> special_of(const WordPieceTrainOptions& options) {
  std::vector<std::string> out = options.special_tokens;
  if (out.empty()) out = {"[PAD]", options.unk_token, kOpen, kClose, "[MASK]"};
  if (std::find(out.begin(), out.end(), options.unk_token) == out.end())
    out.push_back(options.unk_token);
  return out;
}

std::unique_ptr<text::Normalizer> normalizer_of(const WordPieceTrainOptions& options) {
  auto bert =
      text::make_bert_normalizer({.strip_accents = false, .lowercase = options.lowercase}, true);
  if (!options.normal_form) return bert;
  std::vector<std::unique_ptr<text::Normalizer>> steps;
  steps.push_back(text::make_normal_form(*options.normal_form));
  steps.push_back(std::move(bert));
  return text::make_normalizer_sequence(std::move(steps));
}

void check(const WordPieceTrainOptions& options, size_t special) {
  ensure<UsageError>(!options.unk_token.empty(), "the unknown token is empty");
  const auto least = static_cast<int64_t>(special) + 2;
  ensure<UsageError>(options.vocab_size >= least, "vocabulary size: found ", options.vocab_size,
                     ", wanted at least ", least, " (", special,
                     " special tokens and a character)");
  ensure<UsageError>(options.min_frequency >= 0, "minimum frequency: found ", options.min_frequency,
                     ", wanted at least 0");
}

}  // namespace

Tokenizer train_word_piece(std::span<const std::string_view> texts,
                           const WordPieceTrainOptions& options) {
  const std::vector<std::string> special = special_of(options);
  check(options, special.size());
  TokenizerParts parts;
  parts.normalizer = normalizer_of(options);
  parts.pre_tokenizer = text::make_bert_pre_tokenizer();
  text::Learned learned{text::special_vocab(special)};
  {
    text::WordCounter counter(parts.normalizer.get(), *parts.pre_tokenizer);
    counter.count(texts, options.progress);
    const text::CharacterIds ids(counter.words(), {options.coverage, options.vocab_size, kPrefix},
                                 learned);
    text::learn_merges(
        counter.words(),
        [&](std::string_view word, std::vector<int>& symbols) { ids.spell(word, symbols); },
        {options.vocab_size, options.min_frequency, kPrefix}, options.progress, learned);
  }
  for (const std::string& token : special)
    parts.added.add({.id = learned.vocab.find(token), .content = token, .special = true},
                    learned.vocab, "special tokens");
  const text::AddedToken *open = parts.added.find(kOpen), *close = parts.added.find(kClose);
  if (open && close)
    parts.post_processor = text::make_bert_template({open->id, kOpen}, {close->id, kClose});
  parts.decoder = text::make_word_piece_decoder(kPrefix, true);
  parts.roles["unk_token"] = options.unk_token;
  parts.model = std::make_unique<text::WordPiece>(
      std::move(learned.vocab), text::WordPieceOptions{.unk_token = options.unk_token});
  return Tokenizer(std::move(parts));
}

}  // namespace jogak
