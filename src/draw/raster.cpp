#include "draw/raster.h"

#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/error.h"
#include "base/utf8.h"
#include "draw/outline_font.h"
#include "draw/stroke_font.h"

namespace jogak {
namespace {

std::string unescaped(std::string_view text) {
  constexpr std::pair<std::string_view, char> kNames[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t taken = 0;
    for (const auto& [name, c] : kNames)
      if (text.substr(i).starts_with(name)) out += c, taken = name.size();
    if (taken == 0) out += text[i], taken = 1;
    i += taken;
  }
  return out;
}

// One element: its name, its attributes as written, and the text up to its end.
struct Element {
  std::string_view name, attributes, text;

  std::string_view find(std::string_view key) const {
    for (size_t at = 0; (at = attributes.find(key, at)) != std::string_view::npos; ++at) {
      const size_t after = at + key.size();
      if (at == 0 || attributes[at - 1] != ' ' || attributes.substr(after, 2) != "=\"") continue;
      return attributes.substr(after + 2, attributes.find('"', after + 2) - after - 2);
    }
    return {};
  }
  double number(std::string_view key, double otherwise = 0) const {
    const std::string_view word = find(key);
    double value = otherwise;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
  }
};

Rgb colour_of(std::string_view hex) {
  uint32_t value = 0;
  if (hex.size() == 7) std::from_chars(hex.data() + 1, hex.data() + 7, value, 16);
  return {static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 8),
          static_cast<uint8_t>(value)};
}

// Numbers of a path, a polyline or a transform, parted by anything that is none.
std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> out;
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error == std::errc()) out.push_back(value);
    at = error == std::errc() ? stop : at + 1;
  }
  return out;
}

class Plotter {
 public:
  Plotter(int64_t width, int64_t height, double scale, Letters letters)
      : canvas_(width, height), scale_(scale), letters_(letters) {}

  void draw(const Element& e) {
    if (e.name == "g") return open(e);
    if (e.name == "/g") return close();
    if (e.name == "rect") return rectangle(e);
    if (e.name == "line")
      return line({e.number("x1"), e.number("y1")}, {e.number("x2"), e.number("y2")}, e);
    if (e.name == "polyline") return curve(e);
    if (e.name == "path") return path(e);
    if (e.name == "text") return text(e);
    ensure<FormatError>(
        e.name == "title" || e.name == "desc" || e.name.starts_with('/') || e.name == "svg",
        "a picture of points knows no <", e.name, ">");
  }
  Raster take() && { return std::move(canvas_).take(); }

 private:
  Point placed(double x, double y) const {
    return {(x + offset_.x) * scale_, (y + offset_.y) * scale_};
  }

  void open(const Element& e) {
    offsets_.push_back(offset_);
    const auto by = numbers_in(e.find("transform"));
    if (by.size() == 2) offset_ = {offset_.x + by[0], offset_.y + by[1]};
  }
  void close() {
    if (offsets_.empty()) return;
    offset_ = offsets_.back();
    offsets_.pop_back();
  }

  void rectangle(const Element& e) {
    const Point a = placed(e.number("x"), e.number("y"));
    const Point b = placed(e.number("x") + e.number("width"), e.number("y") + e.number("height"));
    canvas_.area({{a, {b.x, a.y}, b, {a.x, b.y}}}, colour_of(e.find("fill")));
    if (e.find("stroke").empty()) return;
    canvas_.strokes(
        {{a.x, a.y, b.x, a.y}, {b.x, a.y, b.x, b.y}, {b.x, b.y, a.x, b.y}, {a.x, b.y, a.x, a.y}},
        e.number("stroke-width", 1) * scale_, colour_of(e.find("stroke")));
  }

  void line(Point from, Point to, const Element& e) {
    const Point a = placed(from.x, from.y), b = placed(to.x, to.y);
    canvas_.strokes({{a.x, a.y, b.x, b.y}}, e.number("stroke-width", 1) * scale_,
                    colour_of(e.find("stroke")));
  }

  void curve(const Element& e) {
    const auto v = numbers_in(e.find("points"));
    for (size_t i = 0; i + 3 < v.size(); i += 2) line({v[i], v[i + 1]}, {v[i + 2], v[i + 3]}, e);
  }

  // M x y, then H, V and further points; z ends a ring. Small rings are drawn one by one.
  void path(const Element& e) {
    const std::string_view d = e.find("d");
    std::vector<Point> ring;
    Point at{0, 0};
    for (size_t i = 0; i < d.size();) {
      const char command = d[i];
      const size_t end = std::min(d.find_first_of("MHVLzZ", i + 1), d.size());
      const auto v = numbers_in(d.substr(i + 1, end - i - 1));
      if (command == 'H' && !v.empty())
        at.x = v[0], ring.push_back(placed(at.x, at.y));
      else if (command == 'V' && !v.empty())
        at.y = v[0], ring.push_back(placed(at.x, at.y));
      else
        for (size_t k = 0; k + 1 < v.size(); k += 2)
          at = {v[k], v[k + 1]}, ring.push_back(placed(at.x, at.y));
      if (command == 'z' || command == 'Z')
        canvas_.area({ring}, colour_of(e.find("fill"))), ring = {};
      i = end;
    }
  }

  // A letter of an installed font, or its strokes.
  struct Letter {
    std::optional<LetterOutline> outline = {};
    StrokedText strokes = {};
    double advance = 0;  // in ems
  };

  std::vector<Letter> letters_of(std::string_view text, bool bold) const {
    std::vector<Letter> out;
    for (size_t at = 0; at < text.size();) {
      const utf8::Decoded next = utf8::decode(text, at);
      const auto size = static_cast<size_t>(std::max(next.size, 1));
      Letter& letter = out.emplace_back();
      if (letters_ == Letters::of_a_font) letter.outline = letter_outline(next.code, bold);
      if (!letter.outline) letter.strokes = stroked(text.substr(at, size));
      letter.advance = letter.outline ? letter.outline->advance : letter.strokes.width * kCapital;
      at += size;
    }
    return out;
  }

  void text(const Element& e) {
    const std::string_view anchor = e.find("text-anchor");
    const bool bold = e.find("font-weight") == "bold";
    const std::vector<Letter> letters = letters_of(unescaped(e.text), bold);
    double width = 0;
    for (const Letter& letter : letters) width += letter.advance;
    const double em = e.number("font-size", 12) * scale_;
    const double shift = width * (anchor == "middle" ? 0.5 : anchor == "end" ? 1.0 : 0.0);
    const Point at = placed(e.number("x"), e.number("y"));
    const auto turns = numbers_in(e.find("transform"));  // rotate(-90 x y)
    const double angle = turns.empty() ? 0 : turns[0] * std::numbers::pi / 180;
    const bool upright = angle == 0;
    double along = -shift;
    const auto place = [&](double x, double y) {
      const double right = (along + x) * em, down = y * em;
      return Point{at.x + right * std::cos(angle) - down * std::sin(angle),
                   at.y + right * std::sin(angle) + down * std::cos(angle)};
    };
    for (const Letter& letter : letters) {
      draw_letter(letter, {bold, upright, em}, place, colour_of(e.find("fill")));
      along += letter.advance;
    }
  }

  struct Hand {
    bool bold, upright;
    double em;
  };
  template <class Place>
  void draw_letter(const Letter& letter, const Hand& hand, Place place, Rgb colour) {
    if (letter.outline) {
      std::vector<std::vector<Point>> rings;
      for (const auto& ring : letter.outline->rings) {
        rings.emplace_back();
        for (const Point& p : ring) rings.back().push_back(place(p.x, p.y));
      }
      return canvas_.area(rings, colour, Canvas::Fill::winding);
    }
    const double width = hand.em * (hand.bold ? 0.11 : 0.075);
    for (const std::vector<Stroke>& glyph : letter.strokes.glyphs) {
      std::vector<Stroke> moved;
      for (const Stroke& s : glyph) {
        const Point a = place(s.x0 * kCapital, s.y0 * kCapital),
                    b = place(s.x1 * kCapital, s.y1 * kCapital);
        moved.push_back(hand.upright ? on_grid({a.x, a.y, b.x, b.y}, width)
                                     : Stroke{a.x, a.y, b.x, b.y});
      }
      canvas_.strokes(moved, width, colour);
    }
  }

  // Lines along the grid begin where a row or column of points does: two soft edges become one.
  static Stroke on_grid(Stroke s, double width) {
    const auto moved = [&](double v) { return std::round(v - width / 2) + width / 2; };
    if (s.x0 == s.x1 && s.y0 != s.y1) s.x0 = s.x1 = moved(s.x0);
    if (s.y0 == s.y1 && s.x0 != s.x1) s.y0 = s.y1 = moved(s.y0);
    return s;
  }

  static constexpr double kCapital = 0.72;  // height of a stroked capital, in ems
  Canvas canvas_;
  double scale_;
  Letters letters_;
  Point offset_{0, 0};
  std::vector<Point> offsets_;
};

// The element that begins at the '<' at `at`; `at` moves behind it (of texts: behind their end).
Element next_element(std::string_view svg, size_t& at) {
  const size_t close = std::min(svg.find('>', at), svg.size());
  std::string_view inside = svg.substr(at + 1, close - at - 1);
  const bool alone = inside.ends_with('/');
  if (alone) inside.remove_suffix(1);
  Element out;
  out.name = inside.substr(0, inside.find(' '));
  out.attributes = inside.substr(out.name.size());
  at = close + 1;
  if (alone || (out.name != "text" && out.name != "title" && out.name != "desc")) return out;
  const size_t end = std::min(svg.find('<', at), svg.size());
  out.text = svg.substr(at, end - at);
  at = end;
  return out;
}

}  // namespace

Raster rasterize(std::string_view svg, double scale, Letters letters) {
  constexpr double kMostSide = 16384;
  size_t at = svg.find("<svg");
  ensure<FormatError>(at != std::string_view::npos, "found no <svg>, wanted a picture");
  const Element head = next_element(svg, at);
  const double width = std::ceil(head.number("width") * scale);
  const double height = std::ceil(head.number("height") * scale);
  ensure<UsageError>(width >= 1 && height >= 1 && width <= kMostSide && height <= kMostSide,
                     "a picture of ", width, " x ", height, " points, wanted at most ", kMostSide,
                     " a side: choose fewer layers or heads, or write SVG");
  Plotter drawing(static_cast<int64_t>(width), static_cast<int64_t>(height), scale, letters);
  while ((at = svg.find('<', at)) != std::string_view::npos) drawing.draw(next_element(svg, at));
  return std::move(drawing).take();
}

}  // namespace jogak
