// Images: PNG and JPEG in, PNG out, the size and channels a model wants.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jogak {

struct Image {
  int64_t height = 0, width = 0, channels = 1;  // 1: grey; 3: red, green, blue
  std::vector<uint8_t> pixels;                  // [height, width, channels]
};

inline constexpr int64_t kMostPixels = int64_t{64} << 20;  // of one image: height * width
inline constexpr int64_t kMostSide = 1 << 20;

// The kind follows from the first bytes, not the name. The image stands upright, as its EXIF or
// XMP says. Transparency is left out, 16 bits become 8, colours stay as stored (no profile is
// applied). FormatError with the byte for everything that
// is broken, cut short, too large, or of another kind, which is named.
Image decode_image(std::string_view bytes, const std::string& name);
Image read_image(const std::string& path);

Image decode_png(std::string_view bytes, const std::string& name);
Image decode_jpeg(std::string_view bytes, const std::string& name);
std::string encode_png(const Image& image);

// Grey by the weights of ITU-R 601, as Pillow's convert("L"); three equal channels from grey.
Image with_channels(const Image& image, int64_t channels);

// What an output pixel is a weighted mean of; numbered as Pillow numbers them.
enum class ImageFilter : uint8_t { lanczos = 1, bilinear = 2, bicubic = 3 };

// The support is widened where the image shrinks. The bytes are those of Pillow 13's resize, which
// begins along the columns where the image loses more than twice as many rows as columns.
Image resized(const Image& image, int64_t height, int64_t width,
              ImageFilter filter = ImageFilter::bilinear);

// The middle of an image; black around one that is smaller.
Image cropped(const Image& image, int64_t height, int64_t width);

}  // namespace jogak
