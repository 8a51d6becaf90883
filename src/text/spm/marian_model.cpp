#include "text/spm/marian_model.h"

#include <algorithm>
#include <utility>

#include "text/reading.h"
#include "text/spm/normalizer.h"
#include "text/spm/tokenizer.h"

namespace jogak::text {
namespace {

// Length of the language code that opens the text, 0 when there is none.
size_t code_size(std::string_view text) {
  if (!text.starts_with(">>")) return 0;
  const size_t end = text.find("<<");
  return end == std::string_view::npos ? 0 : end + 2;
}

class MarianModel : public Model {
 public:
  MarianModel(const SpmFile& spm, Vocab vocab, const std::string& unk)
      : vocab_(std::move(vocab)),
        unk_(vocab_.find(unk)),
        normalizer_(spm.normalizing, user_defined(spm)),
        inner_(make_spm_model(spm)),
        inner_unk_(spm.unk_id()) {
    for (const SpmPiece& piece : spm.pieces) ids_.push_back(id_of(piece.text));
  }

  std::unique_ptr<Worker> worker() const override;
  const Vocab& vocab() const override { return vocab_; }
  bool shown_as_text(int id) const override { return id == unk_; }
  Json to_json() const override {
    fail<UsageError>(
        "tokenizer.json: found a side of a Marian directory, wanted one tokenizer: "
        "its files are source.spm, target.spm and vocab.json");
  }

 private:
  friend class MarianWorker;
  int id_of(std::string_view piece) const {
    const int id = vocab_.find(piece);
    return id >= 0 ? id : unk_;
  }

  Vocab vocab_;
  int unk_;
  SpmNormalizer normalizer_;
  std::unique_ptr<Model> inner_;
  int inner_unk_;
  std::vector<int> ids_;  // by the .spm's ids
};

class MarianWorker : public Model::Worker {
 public:
  explicit MarianWorker(const MarianModel& model) : model_(model), inner_(model.inner_->worker()) {}

  void tokenize(const Piece& piece, std::vector<Token>& out) override {
    std::string_view text = piece.text();
    ensure(text.size() < Model::kMaxPiece, "text: found ", text.size(),
           " bytes in one piece, wanted less than ", Model::kMaxPiece);
    const size_t code = code_size(text);
    if (code > 0) out.push_back({model_.id_of(text.substr(0, code)), static_cast<uint32_t>(code)});
    text.remove_prefix(code);
    const AlignedText normal = model_.normalizer_.apply(AlignedText(text, {0, text.size()}));
    const std::string_view all = normal.text();
    tokens_.clear();
    if (!all.empty()) inner_->tokenize(Piece{&normal, {0, all.size()}}, tokens_);
    uint32_t from = 0;
    for (const Token& token : tokens_) {
      // A run of unknown text may be a token of the vocabulary all the same.
      const int id = token.id == model_.inner_unk_
                         ? model_.id_of(all.substr(from, token.end - from))
                         : model_.ids_[token.id];
      out.push_back({id, static_cast<uint32_t>(code + normal.origin(from, token.end).to)});
      from = token.end;
    }
  }

 private:
  const MarianModel& model_;
  std::unique_ptr<Model::Worker> inner_;
  std::vector<Token> tokens_;
};

std::unique_ptr<Model::Worker> MarianModel::worker() const {
  return std::make_unique<MarianWorker>(*this);
}

class MarianEnd : public PostProcessor {
 public:
  MarianEnd(int id, std::string token) : id_(id), token_(std::move(token)) {}
  void process(std::vector<Encoding>& parts, bool add_special) const override {
    if (!add_special) return;
    Encoding& last = parts.back();
    const size_t end = last.offsets.empty() ? 0 : last.offsets.back().to;
    append_special(last, {id_, token_}, 0);
    if (!last.ids_only) last.offsets.back() = {end, end};
  }
  size_t added(bool) const override { return 1; }
  Json to_json() const override {
    const auto part = [](const char* kind, std::string_view id) {
      return Json::object({{kind, Json::object({{"id", id}, {"type_id", 0}})}});
    };
    const Json end = part("SpecialToken", token_), first = part("Sequence", "A");
    Json token = Json::object({{"id", token_},
                               {"ids", Json::array({Json(id_)})},
                               {"tokens", Json::array({Json(token_)})}});
    return Json::object({{"type", "TemplateProcessing"},
                         {"single", Json::array({first, end})},
                         {"pair", Json::array({first, part("Sequence", "B"), end})},
                         {"special_tokens", Json::object({{token_, std::move(token)}})}});
  }

 private:
  int id_;
  std::string token_;
};

}  // namespace

std::unique_ptr<Model> make_marian_model(const SpmFile& spm, Vocab vocab, const std::string& unk) {
  return std::make_unique<MarianModel>(spm, std::move(vocab), unk);
}

std::unique_ptr<PostProcessor> make_marian_end(int id, std::string token) {
  return std::make_unique<MarianEnd>(id, std::move(token));
}

}  // namespace jogak::text
