// PNG by libpng. It reports errors by longjmp: the functions below it hold nothing that would need
// a destructor, and give what they found to their callers in plain structs.
#include <png.h>

#include <csetjmp>
#include <cstring>

#include "base/error.h"
#include "data/image.h"

namespace jogak {
namespace {

struct PngInput {
  const char* bytes;
  size_t size, at;
  char message[200];  // of the error, when there was one
  std::jmp_buf back;
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* source = static_cast<PngInput*>(png_get_error_ptr(png));
  std::strncpy(source->message, message, sizeof source->message - 1);
  std::longjmp(source->back, 1);
}

void on_warning(png_structp, png_const_charp) {}

void give(png_structp png, png_bytep to, size_t count) {
  auto* source = static_cast<PngInput*>(png_get_io_ptr(png));
  if (count > source->size - source->at) png_error(png, "the file ends here");
  std::memcpy(to, source->bytes + source->at, count);
  source->at += count;
}

struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

// Chunks that change no pixel as we read them: a broken one is no reason to refuse an image.
void pass_over_others(png_structp png) {
  static const png_byte kNames[] =
      "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0"
      "tEXt\0tIME\0zTXt";
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, kNames, sizeof kNames / 5);
}

// Up to the first pixel: sizes known, transformations set.
bool read_head(PngReader& r, PngInput& source) {
  if (setjmp(source.back)) return false;
  png_set_read_fn(r.png, &source, give);
  png_set_benign_errors(r.png, 0);
  pass_over_others(r.png);
  png_read_info(r.png, r.info);
  return true;
}

// A palette's colours are looked up by ourselves: libpng takes any index when it does it.
bool prepare(PngReader& r, PngInput& source, int* channels) {
  if (setjmp(source.back)) return false;
  const int type = png_get_color_type(r.png, r.info);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_packing(r.png);
  if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(r.png);
  png_set_strip_16(r.png);
  png_set_strip_alpha(r.png);
  png_set_interlace_handling(r.png);
  png_read_update_info(r.png, r.info);
  *channels = png_get_channels(r.png, r.info);
  return true;
}

bool read_rows(PngReader& r, PngInput& source, png_bytepp rows) {
  if (setjmp(source.back)) return false;
  png_read_image(r.png, rows);
  png_read_end(r.png, nullptr);
  return true;
}

// Colours for indices.
Image coloured(const Image& indices, const PngReader& r, const std::string& name) {
  png_colorp palette = nullptr;
  int colours = 0;
  ensure<FormatError>(png_get_PLTE(r.png, r.info, &palette, &colours) != 0, name,
                      ": byte 25: found a PNG image without its palette (PLTE)");
  Image out{indices.height, indices.width, 3, {}};
  out.pixels.reserve(3 * indices.pixels.size());
  for (const uint8_t index : indices.pixels) {
    ensure<FormatError>(index < colours, name, ": byte 25: found colour ", int{index},
                        " in a PNG image, wanted one of the ", colours, " of its palette");
    const png_color& c = palette[index];
    out.pixels.insert(out.pixels.end(), {c.red, c.green, c.blue});
  }
  return out;
}

struct PngBytes {
  std::string bytes;
};

void put(png_structp png, png_bytep data, size_t size) {
  static_cast<PngBytes*>(png_get_io_ptr(png))
      ->bytes.append(reinterpret_cast<const char*>(data), size);
}

struct PngWriter {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
};

bool write_all(PngWriter& w, PngInput& errors, PngBytes& sink, const Image& image) {
  char key[] = "Software", name[] = "jogak";
  png_text made_by{};
  made_by.compression = PNG_TEXT_COMPRESSION_NONE;
  made_by.key = key, made_by.text = name, made_by.text_length = sizeof name - 1;
  if (setjmp(errors.back)) return false;
  png_set_write_fn(w.png, &sink, put, nullptr);
  png_set_IHDR(w.png, w.info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8,
               image.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_text(w.png, w.info, &made_by, 1);
  png_write_info(w.png, w.info);
  for (int64_t y = 0; y < image.height; ++y)
    png_write_row(w.png, image.pixels.data() + y * image.width * image.channels);
  png_write_end(w.png, w.info);
  return true;
}

}  // namespace

Image decode_png(std::string_view bytes, const std::string& name) {
  PngInput source{bytes.data(), bytes.size(), 0, {}, {}};
  const auto refuse = [&] {
    fail<FormatError>(name, ": byte ", source.at,
                      ": found a PNG image that is broken: ", source.message);
  };
  PngReader r;
  r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning);
  if (r.png) r.info = png_create_info_struct(r.png);
  ensure<Error>(r.info != nullptr, name, ": no memory to read a PNG image");
  if (!read_head(r, source)) refuse();
  const auto height = int64_t{png_get_image_height(r.png, r.info)};
  const auto width = int64_t{png_get_image_width(r.png, r.info)};
  ensure<FormatError>(height * width <= kMostPixels, name, ": byte 16: found an image of ", width,
                      " x ", height, ", over ", kMostPixels >> 20, " Mpixel");
  int channels = 0;
  if (!prepare(r, source, &channels)) refuse();
  ensure<FormatError>(channels == 1 || channels == 3, name, ": found ", channels,
                      " channels, wanted 1 or 3");
  Image out{height, width, channels, {}};
  const auto stride = static_cast<size_t>(width * channels);
  out.pixels.resize(static_cast<size_t>(height) * stride);
  std::vector<png_bytep> rows;
  for (int64_t y = 0; y < height; ++y)
    rows.push_back(out.pixels.data() + static_cast<size_t>(y) * stride);
  if (!read_rows(r, source, rows.data())) refuse();
  const bool indices = png_get_color_type(r.png, r.info) == PNG_COLOR_TYPE_PALETTE;
  return indices ? coloured(out, r, name) : out;
}

std::string encode_png(const Image& image) {
  ensure<Error>(
      image.height >= 1 && image.width >= 1 && (image.channels == 1 || image.channels == 3) &&
          static_cast<int64_t>(image.pixels.size()) == image.height * image.width * image.channels,
      "an image of ", image.height, " x ", image.width, " x ", image.channels, " with ",
      image.pixels.size(), " values cannot be written");
  PngInput errors{nullptr, 0, 0, {}, {}};
  PngBytes sink;
  PngWriter w;
  w.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &errors, on_error, on_warning);
  if (w.png) w.info = png_create_info_struct(w.png);
  ensure<Error>(w.info != nullptr, "no memory to write a PNG image");
  ensure<Error>(write_all(w, errors, sink, image), "writing a PNG image failed: ", errors.message);
  return std::move(sink.bytes);
}

}  // namespace jogak
