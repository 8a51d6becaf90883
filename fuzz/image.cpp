// An image of any bytes: refused with one line, or as many pixels as it says; and an IDX file.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "data/idx_file.h"
#include "data/image.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace jogak;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto one_line = [](const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  };
  try {
    const Image image = decode_image(bytes, "fuzz");
    if (static_cast<int64_t>(image.pixels.size()) != image.height * image.width * image.channels)
      __builtin_trap();
    if (image.height * image.width < 1 << 16) resized(with_channels(image, 1), 8, 8);
  } catch (const Error& error) {
    one_line(error);
  }
  try {
    if (idx_bytes(parse_idx(bytes, "fuzz")) != bytes) __builtin_trap();
  } catch (const Error& error) {
    one_line(error);
  }
  return 0;
}
