#include "text/aligned_text.h"

#include <utility>

#include "text/byte_level.h"
#include "text/unicode.h"

namespace jogak::text {

AlignedText::AlignedText(std::string_view original, std::string changed, std::vector<Span> origins)
    : original_(original),
      is_changed_(true),
      changed_(std::move(changed)),
      origins_(std::move(origins)) {}

AlignedText::AlignedText(std::string_view original, Span part, std::string_view prefix)
    : original_(original), part_(part), prefix_size_(prefix.size()), is_changed_(true) {
  changed_.reserve(prefix.size() + part.to - part.from);
  changed_ += prefix;
  changed_ += original.substr(part.from, part.to - part.from);
}

Span AlignedText::origin(size_t from, size_t to) const {
  if (from >= to) return {};
  if (!origins_.empty()) return {origins_[from].from, origins_[to - 1].to};
  // A prefix ends where the first character starts, whose bytes are widened to all of it.
  from = from < prefix_size_ ? 0 : from - prefix_size_;
  to = to <= prefix_size_ ? 1 : to - prefix_size_;
  Span out{part_.from + from, part_.from + to};
  while (out.from > part_.from && out.from < part_.to && continues(original_[out.from])) --out.from;
  while (out.to < part_.to && continues(original_[out.to])) ++out.to;
  return out;
}

AlignedText spelled_out(const Piece& bytes) {
  std::string text;
  std::vector<Span> origins;
  const std::string_view raw = bytes.text();
  for (size_t i = 0; i < raw.size(); ++i) {
    byte_level::append_characters(text, raw.substr(i, 1));
    origins.resize(text.size(), bytes.origin(i, i + 1));
  }
  return {bytes.of->original(), std::move(text), std::move(origins)};
}

AlignedText with_prefix(std::string_view prefix, const Piece& in) {
  if (!in.of->is_changed()) return {in.of->original(), in.origin(0, in.text().size()), prefix};
  const std::string_view text = in.text();
  const size_t first = code_at(text.data()).size;
  std::vector<Span> origins(prefix.size(), in.origin(0, first));
  origins.reserve(prefix.size() + text.size());
  for (size_t i = 0; i < text.size(); ++i) origins.push_back(in.origin(i, i + 1));
  return {in.of->original(), std::string(prefix) + std::string(text), std::move(origins)};
}

}  // namespace jogak::text
