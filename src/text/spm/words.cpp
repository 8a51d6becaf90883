#include <utility>

#include "text/spm/bpe.h"
#include "text/spm/normalizer.h"
#include "text/spm/unknown.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

// Pieces whose ends follow from the text alone: characters, or words.
class SpmWords : public Model {
 public:
  SpmWords(const SpmFile& spm, bool characters)
      : vocab_(spm_vocab(spm)),
        unknown_(spm),
        kept_(characters ? user_defined(spm) : PieceTrie()),
        characters_(characters) {}

  std::unique_ptr<Worker> worker() const override {
    struct Lookup : Worker {
      explicit Lookup(const SpmWords& owner) : model(owner) {}
      void tokenize(const Piece& piece, std::vector<Token>& out) override {
        const std::string_view text = piece.text();
        ensure(text.size() < kMaxPiece, "text: found ", text.size(),
               " bytes in one piece, wanted less than ", kMaxPiece);
        std::vector<Token> path;
        for (size_t at = 0; at < text.size();) {
          const size_t end = model.end_of(text, at);
          const int id = model.vocab_.find(text.substr(at, end - at));
          path.push_back({id >= 0 ? id : model.unknown_.id(), static_cast<uint32_t>(end)});
          at = end;
        }
        model.unknown_.emit(text, path, out);
      }
      const SpmWords& model;
    };
    return std::make_unique<Lookup>(*this);
  }

  const Vocab& vocab() const override { return vocab_; }
  bool shown_as_text(int id) const override { return id == unknown_.id(); }

  Json to_json() const override {
    ensure<UsageError>(characters_,
                       "tokenizer.json: found a .model of whole words, wanted unigram, "
                       "BPE or characters");
    ensure<UsageError>(kept_.empty(),
                       "tokenizer.json: found a .model of characters with pieces "
                       "of its user, wanted one without");
    // Merging nothing leaves characters.
    return Json::object({{"type", "BPE"},
                         {"dropout", Json()},
                         {"unk_token", vocab_.token(unknown_.id())},
                         {"continuing_subword_prefix", Json()},
                         {"end_of_word_suffix", Json()},
                         {"fuse_unk", true},
                         {"byte_fallback", unknown_.byte_fallback()},
                         {"ignore_merges", false},
                         {"vocab", vocab_.to_json()},
                         {"merges", Json::array()}});
  }

 private:
  size_t end_of(std::string_view text, size_t at) const {
    if (!characters_) {  // every space opens a word
      const size_t end = text.find(kSpmSpace, at + 1);
      return end == std::string_view::npos ? text.size() : end;
    }
    const auto kept = kept_.longest(text.substr(at));
    return at + (kept.size > 0 ? kept.size : code_at(text.data() + at).size);
  }

  Vocab vocab_;
  SpmUnknown unknown_;
  PieceTrie kept_;
  bool characters_;
};

}  // namespace

std::unique_ptr<Model> make_spm_characters(const SpmFile& spm) {
  return std::make_unique<SpmWords>(spm, true);
}

std::unique_ptr<Model> make_spm_words(const SpmFile& spm) {
  return std::make_unique<SpmWords>(spm, false);
}

}  // namespace jogak::text
