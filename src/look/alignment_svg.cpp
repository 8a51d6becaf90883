#include <algorithm>

#include "base/error.h"
#include "base/format.h"
#include "base/terminal.h"
#include "draw/numbers.h"
#include "draw/svg.h"
#include "look/alignment_parts.h"

namespace jogak {
namespace {

using alignment::View;

constexpr double kTitleHeight = 34, kRight = 150, kBottom = 20, kWidest = 1000;
constexpr double kSmallestCell = 12, kLargestCell = 34;
constexpr size_t kLongestLabel = 24;

std::string shortened(const std::string& text) { return short_label(text, kLongestLabel); }

struct Grid {
  double left = 0, top = 0, cell = 0;
  int font = 14;
  Point corner(size_t i, size_t j) const {
    return {left + cell * static_cast<double>(j), top + cell * static_cast<double>(i)};
  }
};

Grid lay_out(const View& view) {
  Grid out;
  const auto widest = [&](const std::vector<std::string>& tokens) {
    double width = 0;
    for (const std::string& token : tokens)
      width = std::max(width, text_width(shortened(token), out.font));
    return width;
  };
  const auto across = static_cast<double>(std::max<size_t>(view.source.size(), 1));
  out.cell = std::clamp(kWidest / across, kSmallestCell, kLargestCell);
  if (out.cell < 18) out.font = 11;
  out.left = 44 + widest(view.target);
  const double head = widest(view.source);
  out.top = kTitleHeight + 32 + (head > out.cell ? head : out.font);
  return out;
}

void draw_cells(const Alignment& a, const View& view, const Grid& g, Svg& svg) {
  for (size_t i = 0; i < view.target.size(); ++i)
    for (size_t j = 0; j < view.source.size(); ++j) {
      const double weight = a.weights.at(static_cast<int64_t>(i), static_cast<int64_t>(j));
      const Rgb colour = heat_colour(weight / view.high, false);
      const Point corner = g.corner(i, j);
      svg.rectangle(corner, g.cell - 1, g.cell - 1, svg_colour(colour));
      if (g.cell < 28 || weight < 0.05) continue;
      svg.text({corner.x + (g.cell - 1) / 2, corner.y + g.cell / 2 + 3}, fixed(weight, 2),
               {Svg::Anchor::middle, 10, false, is_dark(colour) ? "#ffffff" : "#222222"});
    }
}

void draw_labels(const View& view, const Grid& g, Lang lang, Svg& svg) {
  for (size_t j = 0; j < view.source.size(); ++j) {
    const Point corner = g.corner(0, j);
    const double middle = corner.x + (g.cell - 1) / 2;
    const std::string label = shortened(view.source[j]);
    if (text_width(label, g.font) > g.cell)  // written upwards
      svg.text({middle + 5, g.top - 6}, label, {Svg::Anchor::start, g.font, false, "#222222", 90});
    else
      svg.text({middle, g.top - 6}, label, {Svg::Anchor::middle, g.font});
  }
  const double end = g.corner(0, view.source.size()).x;
  for (size_t i = 0; i < view.target.size(); ++i) {
    const double y = g.corner(i, 0).y + g.cell / 2 + 4;
    svg.text({g.left - 7, y}, shortened(view.target[i]), {Svg::Anchor::end, g.font});
    svg.text({end + 34, y}, fixed(view.sums[i], 2), {Svg::Anchor::end, 11, false, "#666666"});
  }
  svg.text({end + 34, g.top - 6}, "Σ", {Svg::Anchor::end, 12, false, "#666666"});
  svg.text({g.left, kTitleHeight + 16}, text_of(alignment::source_words()(lang), " →"),
           {Svg::Anchor::start, 13, false, "#666666"});
  svg.text({16, g.top}, text_of("← ", alignment::target_words()(lang)),
           {Svg::Anchor::end, 13, false, "#666666", 90});
}

void draw_scale(const View& view, const Grid& g, Lang lang, Svg& svg) {
  constexpr int kSteps = 24;
  constexpr double kHeight = 120;
  const double x = g.corner(0, view.source.size()).x + 62;
  svg.text({x, g.top - 12}, Words{"가중치", "weight"}(lang), {Svg::Anchor::start, 11});
  for (int i = 0; i < kSteps; ++i)
    svg.rectangle({x, g.top + kHeight * i / kSteps}, 14, kHeight / kSteps + 0.5,
                  svg_colour(heat_colour(1 - (i + 0.5) / kSteps, false)));
  for (const double share : {0.0, 0.5, 1.0})
    svg.text({x + 20, g.top + kHeight * (1 - share) + 4}, plain_text(share * view.high, 2),
             {Svg::Anchor::start, 11});
}

// "2 ← 2 (0.93); 0 ← 0 (0.88)": what looked where most.
std::string in_words(const Alignment& a, const View& view, Lang lang) {
  std::string out;
  for (size_t i = 0; i < view.target.size(); ++i) {
    const auto row = a.weights.row(static_cast<int64_t>(i));
    const auto best = static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    out += text_of(out.empty() ? "" : "; ", view.target[i], " ← ", view.source[best], " (",
                   fixed(row[best], 2), ")");
  }
  return text_of(
      Words{"번역 토큰마다 가장 많이 본 원문 토큰과 그 가중치: ",
            "For each target token, the source token it looked at most and the weight: "}(lang),
      out);
}

}  // namespace

std::string alignment_svg(const Alignment& a, Lang lang) {
  const View view = alignment::view_of(a);
  const std::string title(alignment::title()(lang));
  if (view.empty()) return svg_file({360, 60, lang, title}, "");
  const Grid grid = lay_out(view);
  Svg svg;
  svg.text({16, 24}, title, {Svg::Anchor::start, 16, true});
  draw_cells(a, view, grid, svg);
  draw_labels(view, grid, lang, svg);
  draw_scale(view, grid, lang, svg);
  const Point end = grid.corner(view.target.size(), view.source.size());
  return svg_file({std::max(end.x + kRight, 40 + text_width(title, 18)),
                   std::max(end.y, grid.top + 130) + kBottom, lang, title, in_words(a, view, lang)},
                  svg.body());
}

}  // namespace jogak
