// A tokenizer.json of any bytes: refused with one line, or a tokenizer that encodes and decodes
// and can be written and read again. What stands behind a zero byte is the text to encode.
#include <algorithm>
#include <cstdint>

#include "fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace jogak;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t zero = std::min(bytes.find('\0'), bytes.size());
  std::string text = utf8::lossy(bytes.substr(std::min(zero + 1, size)));
  if (text.empty()) text = " 한국어 the \u1112\u1161\u11ab  ﬁ\tDon't <s>1234 [MASK]\u00ad■\n";
  try {
    const Tokenizer tokenizer = Tokenizer::from_json(bytes.substr(0, zero), "fuzz.json");
    const std::string written = tokenizer.to_json();
    fuzz::require(Tokenizer::from_json(written, "again.json").to_json() == written);
    std::vector<int> all;
    for (int id = 0; id < tokenizer.vocab_size() && id < 300; ++id) all.push_back(id);
    fuzz::check_decoding(tokenizer, all);
    fuzz::check_text(tokenizer, text);
    fuzz::check_text(tokenizer, text, {.add_special = false, .special_as_text = true});
    tokenizer.encode_pair(text, "b a");
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
  return 0;
}
