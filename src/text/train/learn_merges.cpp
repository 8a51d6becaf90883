#include "text/train/learn_merges.h"

#include "base/error.h"
#include "base/utf8.h"
#include "text/train/word_counter.h"
#include "text/unicode/unicode.h"

namespace jogak::text {

int Learned::id_of(std::string_view token) {
  const int known = vocab.find(token);
  if (known >= 0) return known;
  vocab.add(token, vocab.size());
  return vocab.size() - 1;
}

Vocab special_vocab(std::span<const std::string> special) {
  Vocab vocab;
  for (const std::string& token : special) {
    ensure<UsageError>(!token.empty(), "a special token is empty");
    ensure<UsageError>(vocab.find(token) < 0, "special token ", token, " is given twice");
    vocab.add(token, vocab.size());
  }
  return vocab;
}

CharacterIds::CharacterIds(std::span<const CountedWord> words, const Options& options,
                           Learned& out) {
  CodeTable<uint8_t> seen;  // 1: opens a word, 2: stands inside one
  const bool apart = !options.prefix.empty();
  for (const CountedWord& word : words) {
    for (size_t at = 0; at < word.text.size();) {
      const Code next = code_at(word.text.data() + at);
      seen.at(next.value) |= !apart || at == 0 ? 1 : 2;
      at += static_cast<size_t>(next.size);
    }
  }
  const auto id_of = [&](const std::string& token) {
    return out.vocab.size() < options.vocab_size || out.vocab.find(token) >= 0
               ? out.id_of(token) + 1
               : 0;
  };
  for (const char32_t code : covering_characters(words, options.coverage)) {
    std::string token;
    utf8::append(token, code);
    if (seen[code] & 1) first_.at(code) = id_of(token);
    if (seen[code] & 2) inside_.at(code) = id_of(options.prefix + token);
    if (!apart) inside_.at(code) = first_[code];
  }
}

void CharacterIds::spell(std::string_view word, std::vector<int>& symbols) const {
  for (size_t at = 0; at < word.size();) {
    const Code next = code_at(word.data() + at);
    const int id = (at == 0 ? first_ : inside_)[next.value];
    symbols.push_back(id > 0 ? id - 1 : BpeTrainer::kEdge);
    at += static_cast<size_t>(next.size);
  }
}

void learn_merges(std::span<const CountedWord> words, BpeTrainer::Spell spell,
                  const LearnOptions& options, const TrainReport& report, Learned& out) {
  BpeTrainer trainer(words, spell);
  BpeTrainer::Best best{};
  while (out.vocab.size() < options.vocab_size && trainer.next(best)) {
    if (best.count < options.min_frequency) break;
    std::string_view right = out.vocab.token(best.right);
    if (right.starts_with(options.prefix)) right.remove_prefix(options.prefix.size());
    // Another pair may have made this token already.
    const int id = out.id_of(std::string(out.vocab.token(best.left)) + std::string(right));
    out.merges.push_back({best.left, best.right, id});
    trainer.merge(id);
    if (report && out.merges.size() % 64 == 0)
      report({"merging", out.vocab.size(), options.vocab_size});
  }
  if (report) report({"merging", out.vocab.size(), out.vocab.size()});
}

MergeTable ranked(const std::vector<MergeTable::Merge>& merges) {
  FlatMap seen;
  std::vector<const MergeTable::Merge*> kept;
  for (auto merge = merges.rbegin(); merge != merges.rend(); ++merge) {
    const auto next = static_cast<uint32_t>(kept.size());
    if (seen.insert(pair_key(merge->left, merge->right), next) == next) kept.push_back(&*merge);
  }
  MergeTable table;
  for (auto merge = kept.rbegin(); merge != kept.rend(); ++merge) table.add(**merge);
  return table;
}

}  // namespace jogak::text
