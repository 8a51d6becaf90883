#include "text/train/char.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "text/models/word_level.h"
#include "text/stages/split.h"
#include "text/tokenizer_parts.h"
#include "text/train/word_counter.h"
#include "text/unicode/unicode.h"

namespace jogak {
namespace {

std::vector<bool> characters_of(std::span<const std::string_view> texts,
                                const text::Normalizer* normalizer, const TrainReport& report) {
  std::vector<bool> seen(0x110000);
  text::each_normalized(texts, normalizer, false, "counting characters", report,
                        [&](const text::AlignedText& one) {
                          const std::string_view text = one.text();
                          for (size_t at = 0; at < text.size();) {
                            const text::Code next = text::code_at(text.data() + at);
                            seen[next.value] = true;
                            at += next.size;
                          }
                        });
  return seen;
}

}  // namespace

Tokenizer train_char(std::span<const std::string_view> texts, const CharTrainOptions& options) {
  TokenizerParts parts;
  if (options.normal_form) parts.normalizer = text::make_normal_form(*options.normal_form);
  const std::vector<bool> seen = characters_of(texts, parts.normalizer.get(), options.progress);
  text::Vocab vocab;
  std::string character;
  for (size_t code = 0; code < seen.size(); ++code) {
    if (!seen[code]) continue;
    character.clear();
    utf8::append(character, static_cast<char32_t>(code));
    vocab.add(character, vocab.size());
  }
  std::vector<std::string> specials = options.special_tokens;
  const bool listed =
      std::find(specials.begin(), specials.end(), options.unk_token) != specials.end();
  if (!options.unk_token.empty() && !listed) specials.push_back(options.unk_token);
  for (const std::string& special : specials) {
    ensure<UsageError>(!special.empty(), "a special token is empty");
    ensure<UsageError>(vocab.find(special) < 0, "special token ", special,
                       " is given twice or is a character of the text");
    vocab.add(special, vocab.size());
  }
  for (const std::string& special : specials)
    parts.added.add({.id = vocab.find(special), .content = special, .special = true}, vocab,
                    "special tokens");
  if (!options.unk_token.empty()) parts.roles["unk_token"] = options.unk_token;
  // The model wants the name of an unknown token even where there is none: a name that is no
  // token makes unknown characters errors here and in the reference.
  const std::string unk = options.unk_token.empty() ? "<unk>" : options.unk_token;
  parts.model = std::make_unique<text::WordLevel>(std::move(vocab), unk);
  parts.pre_tokenizer = std::make_unique<text::Split>(text::Pattern::every_character(),
                                                      text::SplitBehavior::isolated, false);
  parts.decoder = text::make_fuse_decoder();
  return Tokenizer(std::move(parts));
}

}  // namespace jogak
