#include "draw/svg.h"
#include "explain/explain.h"

namespace jogak {

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
