// Writes SVG by hand: a few shapes, escaped text, and coordinates of one decimal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/lang.h"
#include "draw/colour.h"

namespace jogak {

struct Point {
  double x, y;
};

std::string xml_escaped(std::string_view text);  // control characters and broken bytes are dropped
std::string svg_number(double value);            // at most one decimal
std::string svg_colour(Rgb colour);              // "#21529c"

class Svg {
 public:
  enum class Anchor { start, middle, end };
  struct TextStyle {
    Anchor anchor = Anchor::start;
    int size = 12;
    bool bold = false;
    std::string_view colour = "#222222";
    int turn = 0;  // degrees, counter-clockwise: 90 reads from bottom to top
  };

  void rectangle(Point corner, double width, double height, std::string_view colour);
  void line(Point from, Point to, std::string_view colour, double width = 1);
  void text(Point at, std::string_view words, const TextStyle& style);
  void path(std::string_view data, std::string_view colour);   // filled, with sharp edges
  void shape(std::string_view data, std::string_view colour);  // filled, with smooth edges
  void rounded(Point corner, double width, double height, std::string_view fill,
               std::string_view edge);
  void curve(std::string_view points, std::string_view colour);

  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

// One panel at most `width` wide: how large it came out, and what to draw with its corner at 0, 0.
struct Panel {
  double width = 0, height = 0;
  std::string body;
  Point corner = {0, 0};  // of the plot
  Point cell = {0, 0};    // size of a value's cell; of lines the distance of values, and 0
};

struct Picture;
Panel picture_panel(const Picture& picture, double width);  // whichever fits its kind
Panel heatmap_panel(const Picture& picture, double width);
Panel diagram_panel(const Picture& picture);
Panel chart_panel(const Picture& picture, double width);  // bars and lines

// A whole file. `description`, when there is one, says in words what the picture shows.
struct SvgDocument {
  double width = 0, height = 0;
  Lang lang = Lang::en;
  std::string title, description = {};
};
std::string svg_file(const SvgDocument& document, std::string_view body);

// How wide a text is at most, in whatever font it is shown.
double text_width(std::string_view text, double size, bool bold = false);

// Where a title centred at `middle` goes so that it begins behind `from`.
double centred(double middle, std::string_view title, double size, double from);

// Labels under the places of an axis, `pitch` apart: level where they have room, otherwise slanted
// or upright and smaller. Up to kAllLabels of them all are shown; of more every `stride`-th.
inline constexpr int64_t kAllLabels = 40;
struct AxisLabels {
  int size = 11, turn = 0;
  int64_t stride = 1;
  double height = 15, reach = 0;  // below the axis, and to the left of a place
};
AxisLabels axis_labels(const std::vector<std::string>& labels, double pitch);
void draw_label(Svg& svg, Point place, std::string_view label, const AxisLabels& how);
std::string short_label(std::string_view label, size_t letters);  // "…" where it was longer

// Every how many labels one is written so that at most `most` are.
int64_t label_stride(int64_t count, int64_t most);

}  // namespace jogak
