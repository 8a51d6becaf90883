// A picture as data: a heat map, bars, lines or a diagram. svg_*, picture_text and picture_json
// show it; nothing here knows how it will look.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "draw/colour.h"
#include "draw/matrix.h"

namespace jogak {

// A diagram: lanes of boxes, read from top to bottom, and links from the first lane to the second.
struct DiagramBox {
  enum class Part : uint8_t { embedding, attention, cross, feed_forward, norm, other };
  Part part = Part::other;
  std::string text, note;
  std::string repeat;  // "× 6": neighbours that have the same are repeated together
};
struct DiagramSkip {
  size_t from = 0,
         to = 0;  // past these boxes of a lane: what enters the first is added at the last
};
struct DiagramLane {
  std::string title;
  std::vector<DiagramBox> boxes;
  std::vector<DiagramSkip> skips = {};
};
struct DiagramLink {
  size_t from = 0, to = 0;  // boxes of the first and of the second lane
  std::string text;
};

struct Backdrop {
  int64_t rows = 0, columns = 0;  // a multiple of those of the values
  std::vector<Rgb> pixels = {};
};

struct Picture {
  enum class Kind : uint8_t { heatmap, bars, lines, diagram };

  Kind kind = Kind::heatmap;
  std::string name = {}, title = {}, x_title = {}, y_title = {};
  Matrix values = {};                  // lines and bars: one series a row
  std::vector<std::string> rows = {};  // heat map: labels of the y axis; otherwise the series
  std::vector<std::string> columns = {};
  double low = 0, high = 1;  // the range of the colours or of the y axis
  bool diverging = false;    // colours that meet in the middle of the range
  std::vector<DiagramLane> lanes = {};
  std::vector<DiagramLink> links = {};
  Backdrop backdrop =
      {};  // what a heat map lies over, as an image under the weights of its patches
};

Json picture_json(const Picture& picture);
Json rows_json(const Matrix& matrix);  // a list for each row; -infinity becomes null

Picture transposed(const Picture& heatmap);

}  // namespace jogak
