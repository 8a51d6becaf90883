#include "look/explain.h"
#include "look/svg.h"

namespace jogak {

std::string to_svg(const Lesson& lesson) {
  constexpr double kWidest = 760, kNarrowest = 360, kMargin = 12;
  std::string body;
  double width = kNarrowest, height = kMargin;
  for (const Picture& picture : lesson.pictures) {
    const Panel panel = picture.kind == Picture::Kind::heatmap ? heatmap_panel(picture, kWidest)
                                                               : chart_panel(picture, kWidest);
    body +=
        text_of("<g transform=\"translate(0 ", svg_number(height), ")\">\n", panel.body, "</g>\n");
    width = std::max(width, panel.width);
    height += panel.height + kMargin;
  }
  const std::string w = svg_number(width), h = svg_number(height);
  return text_of("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w, "\" height=\"", h,
                 "\" viewBox=\"0 0 ", w, " ", h, "\" role=\"img\" lang=\"", lang_code(lesson.lang),
                 "\" font-family=\"'Noto Sans KR', 'Nanum Gothic', ",
                 "'Malgun Gothic', 'DejaVu Sans', sans-serif\">\n<title>",
                 xml_escaped(lesson.title), "</title>\n<rect width=\"", w, "\" height=\"", h,
                 "\" fill=\"#ffffff\"/>\n", body, "</svg>\n");
}

}  // namespace jogak
