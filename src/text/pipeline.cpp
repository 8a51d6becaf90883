#include "text/pipeline.h"

#include <utility>

#include "text/stages/byte_level.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

// The sink receives added tokens and the model's tokens piece by piece; it is a template
// parameter because this is the inner loop of encoding.
template <class Sink>
class Run {
 public:
  Run(const TokenizerParts& parts, Model::Worker& worker, bool special_as_text, Sink& sink)
      : parts_(parts),
        worker_(worker),
        special_as_text_(special_as_text),
        tracks_(Sink::kTracks || (parts.pre_tokenizer && parts.pre_tokenizer->needs_origins())),
        sink_(sink) {}

  void operator()(std::string_view text) {
    parts_.added.split(text, AddedTokens::Which::plain, special_as_text_,
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

  void add(int id, std::string_view token, Span characters) {
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

}  // namespace

Encoding run_pipeline(const TokenizerParts& parts, Model::Worker& worker, std::string_view text,
                      PipelineOptions options) {
  Encoding out;
  FullSink sink{*parts.model, CharacterCounter(text), out};
  Run<FullSink>(parts, worker, options.special_as_text, sink)(text);
  out.type_ids.assign(out.ids.size(), options.type_id);
  out.special_mask.assign(out.ids.size(), 0);
  out.attention_mask.assign(out.ids.size(), 1);
  return out;
}

Encoding run_for_ids(const TokenizerParts& parts, Model::Worker& worker, std::string_view text,
                     PipelineOptions options) {
  Encoding out;
  out.ids_only = true;
  out.ids.reserve(text.size() / 4);
  IdSink sink{out.ids};
  Run<IdSink>(parts, worker, options.special_as_text, sink)(text);
  return out;
}

}  // namespace jogak::text
