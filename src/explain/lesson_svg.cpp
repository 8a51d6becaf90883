#include "draw/svg.h"
#include "explain/explain.h"

namespace jogak {

Panel picture_panel(const Picture& picture, double width) {
  switch (picture.kind) {
    case Picture::Kind::heatmap: return heatmap_panel(picture, width);
    case Picture::Kind::diagram: return diagram_panel(picture);
    case Picture::Kind::bars:
    case Picture::Kind::lines: break;
  }
  return chart_panel(picture, width);
}

std::string to_svg(const Lesson& lesson) {
  constexpr double kWidest = 760, kNarrowest = 360, kMargin = 12;
  std::string body;
  double width = kNarrowest, height = kMargin;
  for (const Picture& picture : lesson.pictures) {
    const Panel panel = picture_panel(picture, kWidest);
    body +=
        text_of("<g transform=\"translate(0 ", svg_number(height), ")\">\n", panel.body, "</g>\n");
    width = std::max(width, panel.width);
    height += panel.height + kMargin;
  }
  return svg_file({width, height, lesson.lang, lesson.title}, body);
}

}  // namespace jogak
