#include "text/aligned_text.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "text/stages/byte_level.h"
#include "text/unicode/unicode.h"

namespace jogak::text {

AlignedText::AlignedText(const AlignedText& before, std::string changed, std::vector<Span> origins)
    : original_(before.original_),
      part_(before.part_),
      tracks_(before.tracks_),
      is_changed_(true),
      changed_(std::move(changed)),
      spans_(std::move(origins)) {}

uint32_t AlignedText::start_of(size_t byte) const {
  if (!spans_.empty()) return static_cast<uint32_t>(spans_[byte].from);
  if (is_changed_) return starts_[byte];
  size_t at = part_.from + byte;
  while (at > part_.from && continues(original_[at])) --at;
  return static_cast<uint32_t>(at);
}

Span AlignedText::origin(size_t from, size_t to) const {
  if (from >= to || to > text().size() || !knows_origins()) return {};
  if (!is_changed_) {
    Span out{part_.from + from, part_.from + to};
    while (out.from > part_.from && continues(original_[out.from])) --out.from;
    while (out.to < part_.to && continues(original_[out.to])) ++out.to;
    return out;
  }
  if (!spans_.empty()) return {spans_[from].from, spans_[to - 1].to};
  const uint32_t first = starts_[from], last = starts_[to - 1];
  return {first == kNowhere ? part_.from : first,
          last == kNowhere ? part_.from : last + size_from_first(original_[last])};
}

Rewriter::Rewriter(const Piece& from)
    : from_(from), text_(from.text()), out_(from.of->original_, from.of->part_, from.of->tracks_) {
  ensure(!out_.tracks_ || out_.original_.size() < AlignedText::kNowhere, "text: found ",
         out_.original_.size(), " bytes, wanted less than ", AlignedText::kNowhere);
  out_.is_changed_ = true;
  out_.changed_.reserve(text_.size());
  if (out_.tracks_) out_.starts_.reserve(text_.size());
}

void Rewriter::keep(size_t from, size_t to) {
  if (from == to) return;
  out_.changed_.append(text_, from, to - from);
  if (!out_.tracks_) return;
  if (!from_.of->spans_.empty()) {
    for (size_t i = from; i < to; ++i)
      out_.starts_.push_back(from_.of->start_of(from_.part.from + i));
    return;
  }
  if (from_.of->is_changed_) {
    const auto starts = from_.of->starts_.begin() + static_cast<ptrdiff_t>(from_.part.from);
    out_.starts_.insert(out_.starts_.end(), starts + static_cast<ptrdiff_t>(from),
                        starts + static_cast<ptrdiff_t>(to));
    return;
  }
  uint32_t start = from_.of->start_of(from_.part.from + from);
  const auto base = static_cast<uint32_t>(from_.of->part_.from + from_.part.from);
  for (size_t i = from; i < to; ++i) {
    if (!continues(text_[i])) start = base + static_cast<uint32_t>(i);
    out_.starts_.push_back(start);
  }
}

void Rewriter::follow(size_t like) {
  if (!out_.tracks_) return;
  const uint32_t start =
      like == kNothing ? AlignedText::kNowhere : from_.of->start_of(from_.part.from + like);
  out_.starts_.resize(out_.changed_.size(), start);
}

void Rewriter::put(std::string_view text, size_t like) {
  out_.changed_ += text;
  follow(like);
}

void Rewriter::put(char32_t code, size_t like) {
  utf8::append(out_.changed_, code);
  follow(like);
}

AlignedText Rewriter::done() { return std::move(out_); }

void Transformer::keep(size_t bytes) {
  out_.keep(at_, at_ + bytes);
  at_ += bytes;
}

void Transformer::put(char32_t code, int64_t change) {
  if (change > 0) return out_.put(code, at_ == 0 ? Rewriter::kNothing : at_ - 1);
  out_.put(code, std::min(at_, text_.size() - 1));
  for (; change <= 0 && at_ < text_.size(); ++change) at_ += size_from_first(text_[at_]);
}

AlignedText spelled_out(const Piece& bytes) {
  Rewriter out(bytes);
  const std::string_view raw = bytes.text();
  for (size_t i = 0; i < raw.size(); ++i)
    out.put(byte_level::character(static_cast<uint8_t>(raw[i])), i);
  return out.done();
}

AlignedText with_prefix(std::string_view prefix, const Piece& in) {
  const size_t first = code_at(in.text().data()).size;
  Rewriter out(in);
  out.put(prefix, 0);
  out.put(in.text().substr(0, first), prefix.empty() ? Rewriter::kNothing : 0);
  out.keep(first, in.text().size());
  return out.done();
}

}  // namespace jogak::text
