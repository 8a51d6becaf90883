// JPEG by libjpeg. It reports errors by longjmp: the functions that call it hold nothing that would
// need a destructor.
#include <cstddef>
#include <cstdio>  // jpeglib.h wants it before itself

#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <csetjmp>

#include "base/error.h"
#include "data/image.h"

namespace jogak {
namespace {

constexpr int kMostScans = 500;

struct JpegReader {
  jpeg_decompress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  char message[JMSG_LENGTH_MAX] = {};
  size_t at = 0, size = 0;
  std::jmp_buf back = {};
  ~JpegReader() { jpeg_destroy_decompress(&jpeg); }
};

JpegReader& reader_of(j_common_ptr jpeg) { return *static_cast<JpegReader*>(jpeg->client_data); }

[[noreturn]] void on_error(j_common_ptr jpeg) {
  JpegReader& r = reader_of(jpeg);
  jpeg->err->format_message(jpeg, r.message);
  if (r.jpeg.src) r.at = r.size - std::min(r.size, r.jpeg.src->bytes_in_buffer);
  std::longjmp(r.back, 1);
}

// Junk between two markers is common and harms nothing; any other warning means lost pixels.
void on_message(j_common_ptr jpeg, int level) {
  if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA) on_error(jpeg);
}

void on_progress(j_common_ptr jpeg) {
  JpegReader& r = reader_of(jpeg);
  if (r.jpeg.input_scan_number <= kMostScans) return;
  std::snprintf(r.message, sizeof r.message, "more than %d scans", kMostScans);
  r.at = r.size - std::min(r.size, r.jpeg.src->bytes_in_buffer);
  std::longjmp(r.back, 1);
}

bool read_head(JpegReader& r, const unsigned char* bytes) {
  if (setjmp(r.back)) return false;
  jpeg_create_decompress(&r.jpeg);
  r.jpeg.client_data = &r;
  r.jpeg.progress = &r.progress;
  jpeg_mem_src(&r.jpeg, bytes, static_cast<unsigned long>(r.size));
  jpeg_read_header(&r.jpeg, TRUE);
  r.at = r.size - std::min(r.size, r.jpeg.src->bytes_in_buffer);
  return true;
}

bool read_pixels(JpegReader& r, unsigned char* to) {
  if (setjmp(r.back)) return false;
  r.jpeg.out_color_space = r.jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&r.jpeg);
  const size_t stride = size_t{r.jpeg.output_width} * static_cast<size_t>(r.jpeg.output_components);
  while (r.jpeg.output_scanline < r.jpeg.output_height) {
    JSAMPROW row = to + size_t{r.jpeg.output_scanline} * stride;
    jpeg_read_scanlines(&r.jpeg, &row, 1);
  }
  jpeg_finish_decompress(&r.jpeg);
  return true;
}

}  // namespace

Image decode_jpeg(std::string_view bytes, const std::string& name) {
  JpegReader r;
  r.size = bytes.size();
  r.jpeg.err = jpeg_std_error(&r.errors);
  r.jpeg.client_data = &r;
  r.errors.error_exit = on_error;
  r.errors.emit_message = on_message;
  r.progress.progress_monitor = on_progress;
  const auto refuse = [&] {
    fail<FormatError>(name, ": byte ", r.at, ": found a JPEG image that is broken: ", r.message);
  };
  if (!read_head(r, reinterpret_cast<const unsigned char*>(bytes.data()))) refuse();
  const auto height = int64_t{r.jpeg.image_height}, width = int64_t{r.jpeg.image_width};
  ensure<FormatError>(height * width <= kMostPixels, name, ": byte ", r.at, ": found an image of ",
                      width, " x ", height, ", over ", kMostPixels >> 20, " Mpixel");
  ensure<FormatError>(!r.jpeg.arith_code, name, ": byte ", r.at,
                      ": unsupported: found arithmetic coding, wanted Huffman codes");
  ensure<FormatError>(r.jpeg.num_components == 1 || r.jpeg.num_components == 3, name, ": byte ",
                      r.at, ": unsupported: found ", r.jpeg.num_components,
                      " components, wanted 1 or 3");
  Image out{height, width, r.jpeg.num_components, {}};
  out.pixels.resize(static_cast<size_t>(height * width * out.channels));
  if (!read_pixels(r, out.pixels.data())) refuse();
  return out;
}

}  // namespace jogak
