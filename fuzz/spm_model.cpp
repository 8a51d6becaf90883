// A .model of any bytes: refused with one line, or a tokenizer that encodes and decodes.
#include <cstdint>

#include "fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace jogak;
  constexpr std::string_view kText =
      " 한국어 the \u1112\u1161\u11ab  ﬁ\t\u00ad<b>x</b> ■ 2031-05-09 \n";
  try {
    const Tokenizer tokenizer =
        Tokenizer::from_spm({reinterpret_cast<const char*>(data), size}, "fuzz.model");
    fuzz::check_text(tokenizer, kText);
    std::vector<int> all;
    for (int id = 0; id < tokenizer.vocab_size() && id < 300; ++id) all.push_back(id);
    fuzz::check_decoding(tokenizer, all);
    for (size_t i = 0; i < all.size(); ++i) all[i] = all[all.size() - 1 - i];
    fuzz::check_decoding(tokenizer, all);
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
  return 0;
}
