#include "data/image.h"

#include <algorithm>

#include "base/file.h"
#include "data/image_orientation.h"

namespace jogak {
namespace {

using std::string_view_literals::operator""sv;

// What an unreadable file is, as far as its first bytes tell.
std::string other_kind(std::string_view bytes) {
  const struct {
    std::string_view magic;
    const char* name;
  } known[] = {{"GIF8"sv, "a GIF"},
               {"8BPS"sv, "a PSD"},
               {"BM"sv, "a BMP"},
               {"II*\0"sv, "a TIFF"},
               {"MM\0*"sv, "a TIFF"},
               {"#?RADIANCE"sv, "an HDR"},
               {"<svg"sv, "an SVG"},
               {"<?xml"sv, "an SVG or other XML"},
               {"P5"sv, "a PGM"},
               {"P6"sv, "a PPM"},
               {"\x00\x00\x01\x00"sv, "an ICO"}};
  for (const auto& kind : known)
    if (bytes.starts_with(kind.magic)) return std::string(kind.name) + " file";
  if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP")) return "a WebP file";
  if (bytes.substr(4).starts_with("ftyp")) return "a HEIF, AVIF or MP4 file";
  return "other bytes";
}

}  // namespace

Image decode_image(std::string_view bytes, const std::string& name) {
  ensure<FormatError>(!bytes.empty(), name, ": byte 0: found nothing, wanted a PNG or JPEG image");
  if (bytes.starts_with("\x89PNG"))
    return upright(decode_png(bytes, name), image_orientation(bytes));
  if (bytes.starts_with("\xFF\xD8"))
    return upright(decode_jpeg(bytes, name), image_orientation(bytes));
  fail<FormatError>(name, ": byte 0: unsupported format: found ",
                    bytes.size() < 4 ? "too few bytes" : other_kind(bytes),
                    ", wanted a PNG or JPEG image");
}

Image read_image(const std::string& path) {
  const MappedFile file(path);
  constexpr size_t kMostBytes = size_t{1} << 30;
  ensure<FormatError>(file.size() <= kMostBytes, path, ": found ", file.size(),
                      " bytes, wanted an image of at most ", kMostBytes);
  return decode_image(file.text(), path);
}

Image with_channels(const Image& image, int64_t channels) {
  ensure<UsageError>(channels == 1 || channels == 3, "images of ", channels,
                     " channels asked for, wanted 1 or 3");
  if (image.channels == channels) return image;
  Image out{image.height, image.width, channels, {}};
  const size_t count = static_cast<size_t>(image.height * image.width);
  out.pixels.resize(count * static_cast<size_t>(channels));
  for (size_t i = 0; i < count; ++i) {
    if (channels == 3) {
      std::fill_n(out.pixels.begin() + static_cast<int64_t>(3 * i), 3, image.pixels[i]);
      continue;
    }
    const uint8_t* rgb = image.pixels.data() + 3 * i;
    out.pixels[i] =
        static_cast<uint8_t>((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16);
  }
  return out;
}

}  // namespace jogak
