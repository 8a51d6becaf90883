#include "look/diagram.h"

#include <algorithm>

#include "base/error.h"
#include "base/terminal.h"

namespace jogak {
namespace {

constexpr double kRow = 20, kGap = 30, kLeft = 24, kPad = 12, kLetter = 6.8;
constexpr std::string_view kAttention = "#dbe9f8", kNorm = "#ececec", kPlaces = "#ecdff5",
                           kFeed = "#fde8d7", kPlain = "#f8f8f8";

std::string_view colour_of(const StepRecord& s) {
  if (s.part == Part::norm) return kNorm;
  if (s.part == Part::positions) return kPlaces;
  if (s.layer < 0 || s.part == Part::layer) return kPlain;
  return s.name.find("att") != std::string::npos ? kAttention : kFeed;
}

// "h.3" of a layer's own step, for the title of its block.
std::string layers_named(const std::string& first, const std::string& last) {
  return first == last ? first : first + " … " + last;
}

void box(Point corner, double width, double height, std::string_view fill, Svg& svg) {
  svg.rectangle(corner, width, height, "#b8bec6");
  svg.rectangle({corner.x + 1, corner.y + 1}, width - 2, height - 2, fill);
}

void arrow(double x, double y, Svg& svg) {
  svg.line({x, y + 4}, {x, y + kGap - 5}, "#777777", 1.5);
  svg.line({x - 5, y + kGap - 11}, {x, y + kGap - 5}, "#777777", 1.5);
  svg.line({x + 5, y + kGap - 11}, {x, y + kGap - 5}, "#777777", 1.5);
}

double width_of(const std::vector<DiagramBlock>& blocks) {
  size_t letters = 30;
  for (const DiagramBlock& block : blocks)
    for (const DiagramStep& step : block.steps)
      letters = std::max(letters, display_width(step.name) + display_width(step.shape) + 4);
  return kLetter * static_cast<double>(letters) + 2 * kPad;
}

void draw_block(const DiagramBlock& block, double width, double& y, Lang lang, Svg& svg) {
  const double head = block.title.empty() ? 0 : 26;
  const double height = head + kRow * static_cast<double>(block.steps.size()) + 2 * kPad;
  box({kLeft, y}, width + 2 * kPad, height, "#ffffff", svg);
  if (head > 0) svg.text({kLeft + kPad, y + 24}, block.title, {Svg::Anchor::start, 14, true});
  if (block.repeat > 1)
    svg.text({kLeft + width + 2 * kPad + 14, y + height / 2 + 6},
             text_of("× ", block.repeat, lang == Lang::ko ? " 층" : " layers"),
             {Svg::Anchor::start, 16, true});
  double at = y + head + kPad;
  for (const DiagramStep& step : block.steps) {
    svg.rectangle({kLeft + kPad, at}, width, kRow - 2, step.colour);
    svg.text({kLeft + kPad + 8, at + 13}, step.name, {Svg::Anchor::start, 12});
    svg.text({kLeft + kPad + width - 8, at + 13}, step.shape, {Svg::Anchor::end, 12});
    at += kRow;
  }
  y += height;
}

void draw_legend(double y, Lang lang, Svg& svg) {
  const std::pair<std::string_view, Words> kinds[] = {
      {kAttention, {"어텐션", "attention"}},
      {kFeed, {"피드포워드와 합", "feed-forward, sums"}},
      {kNorm, {"정규화", "norm"}},
      {kPlaces, {"위치", "positions"}}};
  double x = kLeft;
  for (const auto& [colour, words] : kinds) {
    box({x, y}, 22, 14, colour, svg);
    svg.text({x + 28, y + 12}, words(lang), {Svg::Anchor::start, 12});
    x += 52 + 7.5 * static_cast<double>(display_width(words(lang)));
  }
}

}  // namespace

bool repeats_another(Part part) {
  return part == Part::skip || part == Part::attention || part == Part::cross || part == Part::ffn;
}

std::vector<DiagramBlock> diagram_of(const std::vector<StepRecord>& steps) {
  std::vector<DiagramBlock> out;
  std::string first;  // the name of the block's first layer
  for (const StepRecord& s : steps) {
    if (repeats_another(s.part)) continue;
    const bool inside = s.layer >= 0;
    if (s.part == Part::layer && s.layer == 0) first = s.name;
    if (s.part == Part::layer && s.layer > 0 && !out.empty())
      out.back().title = layers_named(first, s.name), out.back().repeat = s.layer + 1;
    if (inside && s.layer > 0) continue;
    const bool of_block = !out.empty() && out.back().title.empty() &&
                          (out.back().repeat == 0) == inside;  // 0: a layer that still goes on
    if (!of_block) out.push_back({{}, inside ? 0 : 1});
    out.back().steps.push_back({s.name, text_of(s.shape), colour_of(s)});
    if (s.part == Part::layer) out.back().title = s.name, out.back().repeat = 1;
  }
  return out;
}

Panel diagram_panel(const std::vector<DiagramBlock>& blocks, Lang lang) {
  const double width = width_of(blocks);
  Svg svg;
  double y = 10;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0) arrow(kLeft + kPad + width / 2, y, svg), y += kGap;
    draw_block(blocks[i], width, y, lang, svg);
  }
  draw_legend(y + 18, lang, svg);
  return {std::max(width + 2 * kPad + kLeft + 130, 560.0), y + 48, svg.body()};
}

Json diagram_json(const std::vector<DiagramBlock>& blocks) {
  Json out = Json::array();
  for (const DiagramBlock& block : blocks) {
    Json steps = Json::array();
    for (const DiagramStep& step : block.steps)
      steps.push(Json::object({{"step", step.name}, {"shape", step.shape}}));
    Json one = Json::object();
    one.set("title", block.title).set("repeat", block.repeat);
    out.push(std::move(one.set("steps", std::move(steps))));
  }
  return out;
}

}  // namespace jogak
