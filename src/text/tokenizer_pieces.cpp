// Tokens of a long text, some thousands at a time. What stands around a text, and what is done to
// its first token alone, is done as if the pieces were one.
#include <algorithm>
#include <utility>

#include "text/tokenizer.h"
#include "text/tokenizer_parts.h"

namespace jogak {
namespace {

constexpr size_t kPiece = 8192;  // tokens

struct Around {
  size_t before = 0, after = 0;  // tokens that the post-processor puts there
};

Encoding processed(const text::PostProcessor& processor, Encoding text, bool add_special) {
  std::vector<Encoding> parts;
  parts.push_back(std::move(text));
  processor.process(parts, add_special);
  for (size_t i = 1; i < parts.size(); ++i) parts[0].append(parts[i]);
  return std::move(parts[0]);
}

// Nothing where it is not tokens before the text, the text, and tokens behind it.
std::optional<Around> around(const text::PostProcessor* processor, bool add_special) {
  if (!processor) return Around{};
  const Encoding one = processed(*processor, {{0}, {"a"}, {{0, 1}}, {0}, {0}, {1}}, add_special);
  const auto& mask = one.special_mask;
  if (std::count(mask.begin(), mask.end(), 0) != 1) return std::nullopt;
  const auto before = static_cast<size_t>(std::find(mask.begin(), mask.end(), 0) - mask.begin());
  return Around{before, mask.size() - before - 1};
}

}  // namespace

void Tokenizer::encode_in_pieces(std::string_view text, EncodeOptions options,
                                 const std::function<void(const Encoding&)>& take) const {
  const text::PostProcessor* processor = parts_->post_processor.get();
  const std::optional<Around> specials = around(processor, options.add_special);
  const bool limited =
      options.most > 0 || (options.limits && (parts_->truncation || parts_->padding));
  if (!specials || limited) return take(encode(text, options));
  Encoding held, last;  // the piece that waits for its next one; the token before it
  const auto give = [&](bool is_last) {
    const bool first = last.ids.empty();
    Encoding piece = std::move(last);  // so that its first token is not taken for the text's
    piece.append(held);
    last = std::move(held);
    last.keep(last.ids.size() - std::min<size_t>(last.ids.size(), 1), last.ids.size());
    if (processor) piece = processed(*processor, std::move(piece), options.add_special);
    piece.keep(first ? 0 : specials->before + 1,
               piece.ids.size() - (is_last ? 0 : specials->after));
    take(piece);
  };
  bool waits = false;
  bare_pieces(text, options, kPiece, [&](Encoding piece) {
    if (std::exchange(waits, true)) give(false);
    held = std::move(piece);
  });
  give(true);
}

std::optional<size_t> Tokenizer::cut_after() const {
  const auto& cut = parts_->truncation;
  return cut && !cut->from_left ? std::optional(cut->max_length) : std::nullopt;
}

}  // namespace jogak
