#include "draw/svg.h"

#include <charconv>

#include "base/error.h"
#include "base/utf8.h"
#include "draw/marks.h"
#include "draw/picture.h"

namespace jogak {

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : utf8::lossy(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
  }
  return out;
}

std::string svg_number(double value) {
  char buffer[40];
  const double rounded = std::round(std::clamp(value, -1e6, 1e6) * 10) / 10 + 0.0;
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, rounded).ptr);
}

std::string svg_colour(Rgb c) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "#";
  for (const uint8_t part : {c.red, c.green, c.blue}) {
    out += kHex[part >> 4];
    out += kHex[part & 15];
  }
  return out;
}

void Svg::rectangle(Point corner, double width, double height, std::string_view colour) {
  body_ += text_of("<rect x=\"", svg_number(corner.x), "\" y=\"", svg_number(corner.y),
                   "\" width=\"", svg_number(width), "\" height=\"", svg_number(height),
                   "\" fill=\"", colour, "\"/>\n");
}

void Svg::line(Point from, Point to, std::string_view colour, double width) {
  body_ += text_of("<line x1=\"", svg_number(from.x), "\" y1=\"", svg_number(from.y), "\" x2=\"",
                   svg_number(to.x), "\" y2=\"", svg_number(to.y), "\" stroke=\"", colour,
                   "\" stroke-width=\"", svg_number(width), "\"/>\n");
}

void Svg::text(Point at, std::string_view words, const TextStyle& style) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  const std::string x = svg_number(at.x), y = svg_number(at.y);
  body_ +=
      text_of("<text x=\"", x, "\" y=\"", y, "\" font-size=\"", style.size, "\" text-anchor=\"",
              kAnchors[static_cast<int>(style.anchor)], "\" fill=\"", style.colour, "\"");
  if (style.bold) body_ += " font-weight=\"bold\"";
  if (style.turn != 0) body_ += text_of(" transform=\"rotate(", -style.turn, " ", x, " ", y, ")\"");
  body_ += ">" + xml_escaped(words) + "</text>\n";
}

void Svg::path(std::string_view data, std::string_view colour) {
  body_ +=
      text_of("<path shape-rendering=\"crispEdges\" fill=\"", colour, "\" d=\"", data, "\"/>\n");
}

void Svg::shape(std::string_view data, std::string_view colour) {
  body_ += text_of("<path fill=\"", colour, "\" d=\"", data, "\"/>\n");
}

void Svg::rounded(Point corner, double width, double height, std::string_view fill,
                  std::string_view edge) {
  body_ += text_of("<rect x=\"", svg_number(corner.x), "\" y=\"", svg_number(corner.y),
                   "\" width=\"", svg_number(width), "\" height=\"", svg_number(height),
                   "\" rx=\"6\" fill=\"", fill, "\" stroke=\"", edge, "\"/>\n");
}

void Svg::curve(std::string_view points, std::string_view colour) {
  body_ += text_of("<polyline fill=\"none\" stroke=\"", colour,
                   "\" stroke-width=\"2\" stroke-linejoin=\"round\" points=\"", points, "\"/>\n");
}

std::string svg_file(const SvgDocument& d, std::string_view body) {
  const std::string w = svg_number(d.width), h = svg_number(d.height);
  const std::string description =
      d.description.empty() ? "" : "<desc>" + xml_escaped(d.description) + "</desc>\n";
  return text_of("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w, "\" height=\"", h,
                 "\" viewBox=\"0 0 ", w, " ", h, "\" role=\"img\" lang=\"", lang_code(d.lang),
                 "\" font-family=\"", kSvgFonts, "\">\n<title>", xml_escaped(d.title), "</title>\n",
                 description, "<rect width=\"", w, "\" height=\"", h, "\" fill=\"#ffffff\"/>\n",
                 body, "</svg>\n");
}

int64_t label_stride(int64_t count, int64_t most) {
  int64_t stride = 1;
  for (int64_t ten = 1;; ten *= 10)
    for (const int64_t step : {1, 2, 5}) {
      stride = ten * step;
      if ((count + stride - 1) / stride <= most) return stride;
    }
}

}  // namespace jogak
