#include "text/models/word_level.h"

#include <utility>

#include "text/reading.h"
#include "text/stages/byte_level.h"

namespace jogak::text {

WordLevel::WordLevel(Vocab vocab, std::string unk_token)
    : vocab_(std::move(vocab)), unk_token_(std::move(unk_token)), unk_(vocab_.find(unk_token_)) {}

int WordLevel::id_of(const Piece& piece) const {
  const std::string_view text = piece.text();
  const int id = vocab_.find(piece.bytes ? byte_level::to_characters(text) : text);
  if (id >= 0 || unk_ >= 0) return id >= 0 ? id : unk_;
  fail_unknown(piece, 0, text.size(), unk_token_);
}

std::unique_ptr<Model::Worker> WordLevel::worker() const {
  struct Lookup : Worker {
    explicit Lookup(const WordLevel& owner) : model(owner) {}
    void tokenize(const Piece& piece, std::vector<Token>& out) override {
      const size_t size = piece.part.to - piece.part.from;
      if (size > 0) out.push_back({model.id_of(piece), static_cast<uint32_t>(size)});
    }
    const WordLevel& model;
  };
  return std::make_unique<Lookup>(*this);
}

Json WordLevel::to_json() const {
  return Json::object(
      {{"type", "WordLevel"}, {"vocab", vocab_.to_json()}, {"unk_token", unk_token_}});
}

std::unique_ptr<Model> WordLevel::read(const ModelFile& file) {
  const Fields& fields = file.fields();
  only_keys(fields, {"type", "vocab", "unk_token"});
  return std::make_unique<WordLevel>(Vocab::read(file.vocab()), fields.text("unk_token"));
}

}  // namespace jogak::text
