#include "text/stages/metaspace.h"

#include <array>
#include <utility>

#include "base/utf8.h"
#include "text/reading.h"
#include "text/stages/split.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

using Prepend = MetaspaceOptions::Prepend;

constexpr std::array<std::string_view, 3> kPrependSchemes = {"always", "first", "never"};

class Metaspace : public CharacterCutter {
 public:
  explicit Metaspace(MetaspaceOptions options) : options_(std::move(options)) {}
  bool needs_origins() const override { return options_.prepend == Prepend::first; }
  Json to_json() const override { return metaspace_json(options_); }

 private:
  void cut(const Piece& in, PieceSink out) const override {
    const std::string_view text = in.text();
    const bool opens = prepends(in);
    if (!opens && text.find(' ') == std::string_view::npos) return let_go(in, out);
    Rewriter rewriter(in);
    if (opens) rewriter.put(options_.replacement, 0);
    size_t done = 0;
    for (size_t at = text.find(' '); at != std::string_view::npos; at = text.find(' ', done)) {
      rewriter.keep(done, at);
      rewriter.put(options_.replacement, at);
      done = at + 1;
    }
    rewriter.keep(done, text.size());
    const AlignedText changed = rewriter.done();
    let_go(whole(changed), out);
  }

  bool prepends(const Piece& in) const {
    const std::string_view text = in.text();
    if (options_.prepend == Prepend::never || text.empty()) return false;
    if (text.starts_with(' ') || text.starts_with(options_.replacement)) return false;
    return options_.prepend == Prepend::always || in.origin(0, 1).from == 0;
  }

  void let_go(const Piece& in, PieceSink out) const {
    if (!options_.split) {
      if (in.part.from < in.part.to) out(in);
      return;
    }
    const std::string_view text = in.text(), mark = options_.replacement;
    // Each mark opens a piece that lasts until the next one.
    size_t start = 0;
    for (size_t at = text.find(mark); at != std::string_view::npos;
         at = text.find(mark, at + mark.size())) {
      if (at > start) out({in.of, {in.part.from + start, in.part.from + at}});
      start = at;
    }
    if (start < text.size()) out({in.of, {in.part.from + start, in.part.to}});
  }

  MetaspaceOptions options_;
};

}  // namespace

MetaspaceOptions read_metaspace(const Fields& fields) {
  only_keys(fields,
            {"type", "replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"});
  MetaspaceOptions out;
  out.replacement = fields.text("replacement");
  if (utf8::count(out.replacement) != 1)
    fields.wrong(fields.at("replacement"), "replacement", "one character");
  if (fields.has("prepend_scheme")) {
    const std::string& name = fields.text("prepend_scheme");
    size_t i = 0;
    while (i < kPrependSchemes.size() && kPrependSchemes[i] != name) ++i;
    if (i == kPrependSchemes.size())
      fields.wrong(fields.at("prepend_scheme"), "prepend_scheme", "always, first or never");
    out.prepend = static_cast<Prepend>(i);
  }
  // Files of older versions say only whether a space is put before the text.
  if (!fields.flag_or("add_prefix_space", true)) {
    if (fields.has("prepend_scheme") && out.prepend != Prepend::never)
      fields.wrong(fields.at("add_prefix_space"), "add_prefix_space",
                   "what \"prepend_scheme\" says");
    out.prepend = Prepend::never;
  }
  out.split = fields.flag_or("split", true);
  return out;
}

Json metaspace_json(const MetaspaceOptions& options) {
  return Json::object({{"type", "Metaspace"},
                       {"replacement", options.replacement},
                       {"prepend_scheme", kPrependSchemes[static_cast<size_t>(options.prepend)]},
                       {"split", options.split}});
}

std::unique_ptr<PreTokenizer> make_metaspace(MetaspaceOptions options) {
  return std::make_unique<Metaspace>(std::move(options));
}

}  // namespace jogak::text
