#include "draw/picture.h"
#include "draw/svg.h"

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

}  // namespace jogak
