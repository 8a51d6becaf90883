#include "data/image_orientation.h"

#include <cstring>
#include <utility>

namespace jogak {
namespace {

using std::string_view_literals::operator""sv;

uint32_t number(std::string_view bytes, bool little) {
  uint32_t out = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    out = out << 8 | static_cast<uint8_t>(bytes[little ? bytes.size() - 1 - i : i]);
  return out;
}

// The orientation in a block of EXIF, which is a TIFF file without pixels; 0: none.
int in_exif(std::string_view tiff) {
  constexpr uint32_t kTag = 0x0112;
  constexpr size_t kEntry = 12;  // tag, type, count, value
  const bool little = tiff.starts_with("II*\0"sv);
  if (!little && !tiff.starts_with("MM\0*"sv)) return 0;
  if (tiff.size() < 8) return 0;
  const size_t first = number(tiff.substr(4, 4), little);
  if (first > tiff.size() || tiff.size() - first < 2) return 0;
  std::string_view entries = tiff.substr(first + 2);
  for (uint32_t left = number(tiff.substr(first, 2), little); left > 0; --left) {
    if (entries.size() < kEntry) return 0;
    const uint32_t type = number(entries.substr(2, 2), little);
    const size_t width = type == 1 ? 1 : type == 3 ? 2 : type == 4 ? 4 : 0;
    if (number(entries.substr(0, 2), little) == kTag && width > 0 &&
        number(entries.substr(4, 4), little) == 1)
      return static_cast<int>(number(entries.substr(8, width), little) & 0xFFFF);
    entries.remove_prefix(kEntry);
  }
  return 0;
}

// tiff:Orientation="6" or tiff:Orientation>6
int in_xmp(std::string_view xml) {
  constexpr std::string_view kName = "tiff:Orientation";
  for (size_t at = xml.find(kName); at != xml.npos; at = xml.find(kName, at + 1)) {
    const std::string_view after = xml.substr(at + kName.size());
    const size_t start = after.starts_with("=\"") ? 2 : after.starts_with(">") ? 1 : 0;
    if (start > 0 && after.size() > start && after[start] >= '0' && after[start] <= '9')
      return after[start] - '0';
  }
  return 0;
}

struct Found {
  int exif = 0, xmp = 0;
};

Found in_jpeg(std::string_view bytes) {
  Found out;
  for (size_t at = 2; bytes.size() - at >= 4 && bytes[at] == '\xFF';) {
    const auto marker = static_cast<uint8_t>(bytes[at + 1]);
    if (marker == 0xFF) {  // a fill byte
      ++at;
      continue;
    }
    if (marker == 0xDA || marker == 0xD9) break;  // the pixels, or the end
    const size_t length = number(bytes.substr(at + 2, 2), false);
    if (length < 2 || bytes.size() - at - 2 < length) break;
    const std::string_view body = bytes.substr(at + 4, length - 2);
    constexpr std::string_view kExif = "Exif\0\0"sv, kXmp = "http://ns.adobe.com/xap/1.0/\0"sv;
    if (marker == 0xE1 && body.starts_with(kExif) && out.exif == 0)
      out.exif = in_exif(body.substr(kExif.size()));
    if (marker == 0xE1 && body.starts_with(kXmp) && out.xmp == 0)
      out.xmp = in_xmp(body.substr(kXmp.size()));
    at += 2 + length;
  }
  return out;
}

Found in_png(std::string_view bytes) {
  Found out;
  for (size_t at = 8; bytes.size() >= 12 && at <= bytes.size() - 12;) {
    const size_t length = number(bytes.substr(at, 4), false);
    if (bytes.size() - at - 12 < length) break;
    const std::string_view kind = bytes.substr(at + 4, 4), body = bytes.substr(at + 8, length);
    if (kind == "eXIf" && out.exif == 0) out.exif = in_exif(body);
    if (kind == "iTXt" && body.starts_with("XML:com.adobe.xmp\0\0"sv) && out.xmp == 0)
      out.xmp = in_xmp(body);
    at += 12 + length;
  }
  return out;
}

}  // namespace

int image_orientation(std::string_view bytes) {
  Found found;
  if (bytes.starts_with("\xFF\xD8")) found = in_jpeg(bytes);
  if (bytes.starts_with("\x89PNG")) found = in_png(bytes);
  const int tag = found.exif != 0 ? found.exif : found.xmp;
  return tag >= 1 && tag <= 8 ? tag : 1;
}

Image upright(Image image, int orientation) {
  if (orientation <= 1 || orientation > 8) return image;
  const int64_t H = image.height, W = image.width, C = image.channels;
  const bool swapped = orientation >= 5;  // rows become columns
  Image out{swapped ? W : H, swapped ? H : W, C, {}};
  out.pixels.resize(image.pixels.size());
  const bool from_below =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool from_right =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  for (int64_t y = 0; y < out.height; ++y)
    for (int64_t x = 0; x < out.width; ++x) {
      const int64_t row = swapped ? x : y, column = swapped ? y : x;
      const int64_t from =
          ((from_below ? H - 1 - row : row) * W + (from_right ? W - 1 - column : column)) * C;
      std::memcpy(out.pixels.data() + (y * out.width + x) * C, image.pixels.data() + from,
                  static_cast<size_t>(C));
    }
  return out;
}

}  // namespace jogak
