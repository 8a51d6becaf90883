#include "text/pipeline.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/error.h"
#include "text/stages/byte_level.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

// The sink receives added tokens and the model's tokens piece by piece; it is a template
// parameter because this is the inner loop of encoding.
template <class Sink>
class Run {
 public:
  Run(const TokenizerParts& parts, Model::Worker& worker, const PipelineOptions& options,
      Sink& sink)
      : parts_(parts),
        worker_(worker),
        marks_(options.marks),
        special_as_text_(options.special_as_text),
        tracks_(Sink::kTracks || marks_ ||
                (parts.pre_tokenizer && parts.pre_tokenizer->needs_origins())),
        sink_(sink) {}

  void operator()(std::string_view text) {
    const auto from_user = [&](Span part) { return marks_->has_user(part.from, part.to); };
    const AddedTokens::FromUser user = from_user;
    parts_.added.split(text, AddedTokens::Which::plain,
                       {special_as_text_, marks_ ? &user : nullptr},
                       [&](Span part, const AddedToken* token) {
                         AlignedText stretch(text, part, tracks_);
                         token ? sink_.added(*token, stretch, {0, part.to - part.from})
                               : normalize(std::move(stretch));
                       });
  }

 private:
  void normalize(AlignedText stretch) {
    cut(parts_.normalizer ? parts_.normalizer->apply(std::move(stretch)) : std::move(stretch));
  }

  void cut(const AlignedText& stretch) {
    const auto from_user = [&](Span part) {
      const Span origin = stretch.origin(part.from, part.to);
      return marks_->has_user(origin.from, origin.to);
    };
    const AddedTokens::FromUser user = from_user;
    parts_.added.split(stretch.text(), AddedTokens::Which::normalized,
                       {special_as_text_, marks_ ? &user : nullptr},
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
    if (const size_t at = marks_ ? forbidden(one) : 0) {
      piece({one.of, {one.part.from, one.part.from + at}, one.bytes});
      return piece({one.of, {one.part.from + at, one.part.to}, one.bytes});
    }
    sink_.model(one, tokens_);
  }

  // A model may know a special token as a word ("</s>"). Where a user spelled it, the piece is cut
  // after its first character: then it is none. 0: there is no such token.
  size_t forbidden(const Piece& one) const {
    size_t from = 0, end = 0;
    for (const Token& token : tokens_) {
      if (token.end > end) from = std::exchange(end, token.end);
      if (!is_special(token.id)) continue;
      const Span origin = one.origin(from, std::min(end, one.part.to - one.part.from));
      if (!marks_->has_user(origin.from, origin.to)) continue;
      const std::string_view text = one.text();
      size_t cut = from + 1;
      while (cut < text.size() && continues(text[cut])) ++cut;
      ensure(cut < text.size() || from > 0, "the text has the special token ", token.id,
             " spelled by one character, which cannot stand as text");
      return cut < text.size() ? cut : from;
    }
    return 0;
  }

  bool is_special(int id) const {
    const auto at = static_cast<size_t>(id);
    if (at < parts_.control.size() && parts_.control[at]) return true;
    const AddedToken* added = parts_.added.find(id);
    return added && added->special;
  }

  const TokenizerParts& parts_;
  Model::Worker& worker_;
  const MarkedText* marks_;
  bool special_as_text_, tracks_;
  Sink& sink_;
  std::vector<Token> tokens_;
};

struct IdSink {
  static constexpr bool kTracks = false;
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
  Span characters(Span bytes) {
    const size_t from = before(bytes.from);
    return {from, before(bytes.to)};
  }
  // Of bytes that may lie behind the end: what the reference makes of them.
  Span clipped(Span bytes) {
    const size_t size = text_.size();
    if (bytes.from >= size) return bytes;
    if (bytes.to < size) return characters(bytes);
    const size_t from = before(bytes.from);
    return {from, bytes.to == size ? before(size) : from + 2};
  }

 private:
  size_t before(size_t byte) {
    for (; at_ < byte; ++at_) characters_ += !continues(text_[at_]);
    for (; at_ > byte; --at_) characters_ -= !continues(text_[at_ - 1]);
    return characters_;
  }

  std::string_view text_;
  size_t at_ = 0, characters_ = 0;
};

struct FullSink {
  static constexpr bool kTracks = true;
  const Model& model_of;
  CharacterCounter counter;
  Encoding& out;
  size_t most = SIZE_MAX;  // tokens; then `full` takes them
  std::function<void()> full{};

  void add(int id, std::string_view token, Span characters) {
    if (out.ids.size() >= most) full();
    out.ids.push_back(id);
    out.tokens.emplace_back(token);
    out.offsets.push_back(characters);
  }
  void added(const AddedToken& token, const AlignedText& of, Span part) {
    add(token.id, of.text().substr(part.from, part.to - part.from),
        counter.characters(of.origin(part.from, part.to)));
  }
  void model(const Piece& piece, const std::vector<Token>& tokens) {
    size_t from = 0, end = 0;
    const size_t size = piece.part.to - piece.part.from;
    for (const Token& token : tokens) {
      if (token.end > end) from = std::exchange(end, token.end);
      // Marks that a model puts around the characters of a word can make it longer than it is.
      const Span characters =
          end <= size ? counter.characters(piece.origin(from, end)) : counter.clipped({from, end});
      if (model_of.shown_as_text(token.id)) {
        const std::string_view covered = piece.text().substr(from, end - from);
        add(token.id, piece.bytes ? byte_level::to_characters(covered) : covered, characters);
      } else {
        add(token.id, model_of.vocab().token(token.id), characters);
      }
    }
  }
};

void fill_up(Encoding& of, int type_id) {
  of.type_ids.assign(of.ids.size(), type_id);
  of.special_mask.assign(of.ids.size(), 0);
  of.attention_mask.assign(of.ids.size(), 1);
}

}  // namespace

Encoding run_pipeline(const TokenizerParts& parts, Model::Worker& worker, std::string_view text,
                      PipelineOptions options) {
  Encoding out;
  FullSink sink{*parts.model, CharacterCounter(text), out};
  Run<FullSink>(parts, worker, options, sink)(text);
  fill_up(out, options.type_id);
  return out;
}

void run_in_pieces(const TokenizerParts& parts, Model::Worker& worker, std::string_view text,
                   PipelineOptions options, size_t tokens,
                   const std::function<void(Encoding)>& take) {
  Encoding piece;
  const auto full = [&] {
    fill_up(piece, options.type_id);
    take(std::exchange(piece, {}));
  };
  FullSink sink{*parts.model, CharacterCounter(text), piece, tokens, full};
  Run<FullSink>(parts, worker, options, sink)(text);
  full();
}

Encoding run_for_ids(const TokenizerParts& parts, Model::Worker& worker, std::string_view text,
                     PipelineOptions options) {
  Encoding out;
  out.ids_only = true;
  out.ids.reserve(text.size() / 4);
  IdSink sink{out.ids};
  Run<IdSink>(parts, worker, options, sink)(text);
  return out;
}

}  // namespace jogak::text
