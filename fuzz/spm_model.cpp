// A .model of any bytes: refused with one line, or a tokenizer that encodes and decodes.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "text/spm_file.h"
#include "text/spm_tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace jogak;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kText =
      " 한국어 the \u1112\u1161\u11ab  ﬁ\t\u00ad<b>x</b> ■ 2031-05-09 \n";
  try {
    const Tokenizer tokenizer(text::spm_parts(text::read_spm(bytes, "fuzz.model")));
    const Encoding encoding = tokenizer.encode(kText);
    if (encoding.ids != tokenizer.encode_ids(kText)) __builtin_trap();
    tokenizer.decode(encoding.ids);
    std::vector<int> all;
    for (int id = 0; id < tokenizer.vocab_size() && id < 300; ++id) all.push_back(id);
    tokenizer.decode(all, false);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
  }
  return 0;
}
