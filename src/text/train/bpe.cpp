#include "text/train/bpe.h"

#include <array>
#include <utility>

#include "text/models/bpe.h"
#include "text/models/unigram.h"
#include "text/stages/byte_level.h"
#include "text/stages/metaspace.h"
#include "text/tokenizer_parts.h"
#include "text/train/learn_merges.h"
#include "text/train/word_counter.h"

namespace jogak {
namespace {

using text::CountedWord;

void check(const BpeTrainOptions& options) {
  const auto least = static_cast<int64_t>(options.special_tokens.size()) + 256;
  ensure<UsageError>(options.vocab_size >= least, "vocabulary size: found ", options.vocab_size,
                     ", wanted at least ", least, " (256 bytes and ", options.special_tokens.size(),
                     " special tokens)");
  ensure<UsageError>(options.min_frequency >= 0, "minimum frequency: found ", options.min_frequency,
                     ", wanted at least 0");
}

// Bytes in the order of their characters.
text::Learned learn_bytes(std::span<const CountedWord> words, const BpeTrainOptions& options) {
  text::Learned out{text::special_vocab(options.special_tokens)};
  std::array<int, 256> ids{};
  for (const uint8_t byte : text::byte_level::alphabet_order()) {
    const auto c = static_cast<char>(byte);
    ids[byte] = out.id_of(text::byte_level::to_characters({&c, 1}));
  }
  text::learn_merges(
      words,
      [&](std::string_view word, std::vector<int>& symbols) {
        for (const char c : word) symbols.push_back(ids[static_cast<unsigned char>(c)]);
      },
      {options.vocab_size, options.min_frequency, {}}, options.progress, out);
  return out;
}

// <0x00> ... <0xFF>, then characters, most frequent first, as far as there is room.
text::Learned learn_characters(std::span<const CountedWord> words, const BpeTrainOptions& options) {
  text::Learned out{text::special_vocab(options.special_tokens)};
  for (int byte = 0; byte < 256; ++byte)
    out.id_of(text::byte_piece(static_cast<unsigned char>(byte)));
  const text::CharacterIds ids(words, {options.coverage, options.vocab_size}, out);
  text::learn_merges(
      words, [&](std::string_view word, std::vector<int>& symbols) { ids.spell(word, symbols); },
      {options.vocab_size, options.min_frequency, {}}, options.progress, out);
  return out;
}

// Bytes become characters again, then '▁' spaces; the first one is not of the text.
std::unique_ptr<text::Decoder> metaspace_decoder() {
  return text::Decoder::read(
      Json::object({{"type", "Sequence"},
                    {"decoders", Json::array({Json::object({{"type", "ByteFallback"}}),
                                              text::metaspace_json({})})}}),
      "decoder");
}

}  // namespace

Tokenizer train_bpe(std::span<const std::string_view> texts, const BpeTrainOptions& options) {
  check(options);
  TokenizerParts parts;
  if (options.normal_form) parts.normalizer = text::make_normal_form(*options.normal_form);
  parts.pre_tokenizer = options.metaspace
                            ? text::make_metaspace({})
                            : text::make_byte_level({.add_prefix_space = options.add_prefix_space});
  text::Learned learned;
  {
    text::WordCounter counter(parts.normalizer.get(), *parts.pre_tokenizer);
    counter.count(texts, options.progress);
    learned = options.metaspace ? learn_characters(counter.words(), options)
                                : learn_bytes(counter.words(), options);
  }
  for (const std::string& special : options.special_tokens)
    parts.added.add({.id = learned.vocab.find(special), .content = special, .special = true},
                    learned.vocab, "special tokens");
  parts.decoder = options.metaspace ? metaspace_decoder() : text::make_byte_level_decoder();
  parts.model = std::make_unique<text::Bpe>(std::move(learned.vocab), text::ranked(learned.merges),
                                            text::BpeOptions{.byte_fallback = options.metaspace});
  return Tokenizer(std::move(parts));
}

}  // namespace jogak
