// The head of a GGUF file of any bytes: refused with one line, or every tensor lies within the file
// and takes what its type and shape say.
#include <cstdint>
#include <string_view>

#include "fuzz/check.h"
#include "io/gguf_header.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace jogak;
  try {
    const GgufHeader header =
        read_gguf_header({reinterpret_cast<const char*>(data), size}, "fuzz.gguf");
    for (const auto& [name, info] : header.tensors) {
      fuzz::require(info.begin <= size && info.bytes <= size - info.begin);
      fuzz::require(info.shape.count() / info.type->block * info.type->bytes ==
                    static_cast<int64_t>(info.bytes));
    }
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
  return 0;
}
