#include "draw/outline_font.h"

#ifdef JOGAK_FREETYPE
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#endif

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

namespace jogak {

#ifndef JOGAK_FREETYPE

std::optional<LetterOutline> letter_outline(char32_t, bool) { return std::nullopt; }

#else

namespace {

struct FontFile {
  const char *regular, *bold;
  int face;  // within the file: of Noto's collection the second is Korean
};
constexpr FontFile kFontFiles[] = {
    {"/usr/share/fonts/truetype/nanum/NanumGothic.ttf",
     "/usr/share/fonts/truetype/nanum/NanumGothicBold.ttf", 0},
    {"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
     "/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc", 1},
};

// Collects an outline as rings; curves become a few lines, which is enough at the sizes of labels.
class RingCollector {
 public:
  explicit RingCollector(double unit) : unit_(unit) {}

  std::vector<std::vector<Point> > collect(FT_Outline& outline) {
    const FT_Outline_Funcs verbs{
        .move_to = [](const FT_Vector* to, void* self) { return of(self).move(*to); },
        .line_to = [](const FT_Vector* to, void* self) { return of(self).line(*to); },
        .conic_to =
            [](const FT_Vector* by, const FT_Vector* to, void* self) {
              return of(self).curve({*by, *by, *to}, true);
            },
        .cubic_to =
            [](const FT_Vector* one, const FT_Vector* two, const FT_Vector* to, void* self) {
              return of(self).curve({*one, *two, *to}, false);
            },
        .shift = 0,
        .delta = 0};
    if (FT_Outline_Decompose(&outline, &verbs, this) != 0) rings_.clear();
    return std::move(rings_);
  }

 private:
  struct Bend {
    FT_Vector one, two, to;
  };
  static RingCollector& of(void* self) { return *static_cast<RingCollector*>(self); }
  Point placed(const FT_Vector& v) const {
    return {static_cast<double>(v.x) * unit_, -static_cast<double>(v.y) * unit_};
  }
  int move(const FT_Vector& to) {
    rings_.push_back({placed(to)});
    return 0;
  }
  int line(const FT_Vector& to) {
    rings_.back().push_back(placed(to));
    return 0;
  }
  int curve(const Bend& bend, bool conic) {
    constexpr int kParts = 6;
    const Point from = rings_.back().back(), a = placed(bend.one), b = placed(bend.two),
                to = placed(bend.to);
    for (int i = 1; i <= kParts; ++i) {
      const double t = double{1} * i / kParts, u = 1 - t;
      const auto at = [&](double p, double q, double r, double s) {
        return conic ? u * u * p + 2 * u * t * q + t * t * s
                     : u * u * u * p + 3 * u * u * t * q + 3 * u * t * t * r + t * t * t * s;
      };
      rings_.back().push_back({at(from.x, a.x, b.x, to.x), at(from.y, a.y, b.y, to.y)});
    }
    return 0;
  }

  double unit_;
  std::vector<std::vector<Point> > rings_;
};

// One face and the letters that were asked of it; open as long as the program runs.
class InstalledFont {
 public:
  explicit InstalledFont(bool bold) {
    const char* const chosen = std::getenv("JOGAK_FONT");
    if (chosen && *chosen) {
      open(chosen, 0);  // "none" is no file
      return;
    }
    for (const FontFile& file : kFontFiles)
      if (!face_) open(bold ? file.bold : file.regular, file.face);
  }

  std::optional<LetterOutline> letter(char32_t code) {
    if (!face_) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const auto [found, fresh] = letters_.try_emplace(code);
    if (fresh) found->second = load(code);
    return found->second;
  }

 private:
  void open(const char* path, int face) {
    std::error_code missing;
    if (!std::filesystem::exists(path, missing)) return;
    if (!library_ && FT_Init_FreeType(&library_) != 0) library_ = nullptr;
    if (library_ && FT_New_Face(library_, path, face, &face_) != 0) face_ = nullptr;
    if (face_ && !FT_IS_SCALABLE(face_)) face_ = nullptr;
  }

  std::optional<LetterOutline> load(char32_t code) {
    const FT_UInt glyph = FT_Get_Char_Index(face_, code);
    if (glyph == 0 || FT_Load_Glyph(face_, glyph, FT_LOAD_NO_SCALE) != 0) return std::nullopt;
    const double unit = 1.0 / face_->units_per_EM;
    LetterOutline out;
    out.rings = RingCollector(unit).collect(face_->glyph->outline);
    out.advance = static_cast<double>(face_->glyph->advance.x) * unit;
    return out;
  }

  FT_Library library_ = nullptr;
  FT_Face face_ = nullptr;
  std::mutex mutex_;
  std::map<char32_t, std::optional<LetterOutline> > letters_;
};

}  // namespace

std::optional<LetterOutline> letter_outline(char32_t code, bool bold) {
  static InstalledFont plain(false), strong(true);
  return (bold ? strong : plain).letter(code);
}

#endif

}  // namespace jogak
