#include "text/tokenizer.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/utf8.h"
#include "text/byte_level.h"
#include "text/tokenizer_parts.h"
#include "text/unicode.h"

namespace jogak {

using text::AddedToken;
using text::AddedTokens;
using text::AlignedText;
using text::Model;
using text::Piece;
using text::Token;

// Workers wait here between calls, so that their caches stay warm. A worker whose call ended in
// an error is not kept.
class Tokenizer::Workers {
 public:
  std::unique_ptr<Model::Worker> take(const Model& model) {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return model.worker();
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }
  void give_back(std::unique_ptr<Model::Worker> worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Model::Worker>> idle_;
};

namespace {

// The whole way from text to tokens. The sink is told of added tokens and of the model's tokens
// piece by piece; it is a template parameter because this is the inner loop of encoding.
template <class Sink>
class Run {
 public:
  Run(const TokenizerParts& parts, Model::Worker& worker, bool special_as_text, Sink& sink)
      : parts_(parts), worker_(worker), special_as_text_(special_as_text), sink_(sink) {}

  void operator()(std::string_view text) {
    parts_.added.split(
        text, AddedTokens::Which::plain, special_as_text_, [&](Span part, const AddedToken* token) {
          const AlignedText stretch(text, part);
          token ? sink_.added(*token, stretch, {0, part.to - part.from}) : normalize(stretch);
        });
  }

 private:
  void normalize(const AlignedText& stretch) {
    if (!parts_.normalizer) return cut(stretch);
    const Span part = stretch.origin(0, stretch.text().size());
    cut(parts_.normalizer->apply(AlignedText(stretch.original(), part)));
  }

  void cut(const AlignedText& stretch) {
    parts_.added.split(stretch.text(), AddedTokens::Which::normalized, special_as_text_,
                       [&](Span part, const AddedToken* token) {
                         token ? sink_.added(*token, stretch, part) : pieces(Piece{&stretch, part});
                       });
  }

  void pieces(const Piece& stretch) {
    if (!parts_.pre_tokenizer) return piece(stretch);
    parts_.pre_tokenizer->split(stretch, [&](const Piece& one) { piece(one); });
  }

  void piece(const Piece& one) {
    tokens_.clear();
    worker_.tokenize(one, tokens_);
    sink_.model(one, tokens_);
  }

  const TokenizerParts& parts_;
  Model::Worker& worker_;
  bool special_as_text_;
  Sink& sink_;
  std::vector<Token> tokens_;
};

struct IdSink {
  std::vector<int>& ids;
  void added(const AddedToken& token, const AlignedText&, Span) { ids.push_back(token.id); }
  void model(const Piece&, const std::vector<Token>& tokens) {
    for (const Token& token : tokens) ids.push_back(token.id);
  }
};

// Characters before a byte of the text. Questions come nearly in order, so it counts on from the
// last one.
class CharacterCounter {
 public:
  explicit CharacterCounter(std::string_view text) : text_(text) {}
  size_t before(size_t byte) {
    for (; at_ < byte; ++at_) characters_ += !text::continues(text_[at_]);
    for (; at_ > byte; --at_) characters_ -= !text::continues(text_[at_ - 1]);
    return characters_;
  }

 private:
  std::string_view text_;
  size_t at_ = 0, characters_ = 0;
};

struct FullSink {
  const Model& model_of;
  CharacterCounter counter;
  Encoding out;

  void add(int id, std::string_view token, Span origin) {
    out.ids.push_back(id);
    out.tokens.emplace_back(token);
    const size_t from = counter.before(origin.from);
    out.offsets.push_back({from, counter.before(origin.to)});
  }
  void added(const AddedToken& token, const AlignedText& of, Span part) {
    add(token.id, of.text().substr(part.from, part.to - part.from), of.origin(part.from, part.to));
  }
  void model(const Piece& piece, const std::vector<Token>& tokens) {
    size_t from = 0, end = 0;
    for (const Token& token : tokens) {
      if (token.end > end) from = std::exchange(end, token.end);
      const Span origin = piece.origin(from, end);
      if (model_of.shown_as_text(token.id)) {
        const std::string_view covered = piece.text().substr(from, end - from);
        add(token.id, piece.bytes ? text::byte_level::to_characters(covered) : covered, origin);
      } else {
        add(token.id, model_of.vocab().token(token.id), origin);
      }
    }
  }
};

void require_utf8(std::string_view text) {
  const size_t bad = utf8::first_invalid(text);
  ensure<FormatError>(bad == std::string_view::npos, "text: byte ", bad,
                      ": found bytes that are not UTF-8, wanted UTF-8 text");
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts)
    : parts_(std::make_unique<TokenizerParts>(std::move(parts))),
      workers_(std::make_unique<Workers>()) {
  parts_->added.finish(parts_->normalizer.get());
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Encoding Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  require_utf8(text);
  auto worker = workers_->take(*parts_->model);
  FullSink sink{*parts_->model, CharacterCounter(text), {}};
  Run<FullSink>(*parts_, *worker, options.special_as_text, sink)(text);
  workers_->give_back(std::move(worker));
  if (parts_->post_processor) parts_->post_processor->apply(sink.out, options.add_special);
  return std::move(sink.out);
}

std::vector<int> Tokenizer::encode_ids(std::string_view text, EncodeOptions options) const {
  if (parts_->post_processor && parts_->post_processor->changes_ids())
    return encode(text, options).ids;
  require_utf8(text);
  auto worker = workers_->take(*parts_->model);
  std::vector<int> ids;
  ids.reserve(text.size() / 4);
  IdSink sink{ids};
  Run<IdSink>(*parts_, *worker, options.special_as_text, sink)(text);
  workers_->give_back(std::move(worker));
  return ids;
}

std::string Tokenizer::decode(std::span<const int> ids, bool skip_special) const {
  std::string out;
  const auto append = [&](std::string_view text) { out += text; };
  const auto pass = parts_->decoder ? parts_->decoder->start() : text::spaced_tokens();
  for (const int id : ids) {
    ensure(id >= 0, "decode: found the id ", id, ", wanted ids from 0");
    const auto token = id_to_token(id);
    if (token) skip_special&& is_special(id) ? pass->skip(append) : pass->push(*token, append);
  }
  pass->finish(append);
  return out;
}

int Tokenizer::vocab_size() const {
  return std::max(parts_->model->vocab().size(), parts_->added.max_id() + 1);
}

std::optional<int> Tokenizer::token_to_id(std::string_view token) const {
  if (const AddedToken* added = parts_->added.find(token)) return added->id;
  const int id = parts_->model->vocab().find(token);
  return id >= 0 ? std::optional(id) : std::nullopt;
}

std::optional<std::string_view> Tokenizer::id_to_token(int id) const {
  if (const AddedToken* added = parts_->added.find(id)) return added->written;
  const text::Vocab& vocab = parts_->model->vocab();
  return vocab.has(id) ? std::optional(vocab.token(id)) : std::nullopt;
}

bool Tokenizer::is_special(int id) const {
  if (id >= 0 && static_cast<size_t>(id) < parts_->control.size() && parts_->control[id])
    return true;
  const AddedToken* added = parts_->added.find(id);
  return added && parts_->added.leaves_out(*added);
}

std::optional<int> Tokenizer::role_id(const std::string& role) const {
  const auto found = parts_->roles.find(role);
  return found == parts_->roles.end() ? std::nullopt : token_to_id(found->second);
}

void Tokenizer::set_role(const std::string& role, std::string token) {
  parts_->roles[role] = std::move(token);
}

const std::map<std::string, std::string>& Tokenizer::roles() const { return parts_->roles; }

const std::string& Tokenizer::spm() const { return parts_->spm; }

}  // namespace jogak
