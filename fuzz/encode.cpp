// Any text through any tokenizer of $JOGAK_FUZZ_TOKENIZERS: the first byte picks the tokenizer, the
// second the options. Twice the same text gives the same; a .model gives offsets that go up.
#include <cstdint>
#include <cstdlib>

#include "base/file.h"
#include "fuzz/check.h"

namespace {

const std::vector<jogak::Tokenizer>& tokenizers() {
  static const auto* const all = [] {
    auto* out = new std::vector<jogak::Tokenizer>;
    const char* const folder = std::getenv("JOGAK_FUZZ_TOKENIZERS");  // set by fuzz/run.sh
    if (!folder) {
      std::fputs("set JOGAK_FUZZ_TOKENIZERS to the folder of tokenizers\n", stderr);
      std::exit(2);
    }
    for (const std::string& name : jogak::list_directory(folder))
      out->push_back(jogak::Tokenizer::load(jogak::join_path(folder, name)));
    return out;
  }();
  return *all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace jogak;
  if (size < 2) return 0;
  const Tokenizer& tokenizer = tokenizers()[data[0] % tokenizers().size()];
  const EncodeOptions options{.add_special = (data[1] & 1) == 0,
                              .special_as_text = (data[1] & 2) != 0,
                              .limits = (data[1] & 4) != 0};
  const std::string text = utf8::lossy({reinterpret_cast<const char*>(data + 2), size - 2});
  try {
    fuzz::check_text(tokenizer, text, options);
    if ((data[1] & 8) != 0) tokenizer.encode_pair(text, text.substr(0, text.find(' ')), options);
    // Bytes taken as ids are tokens in an order that no text gives.
    std::vector<int> ids(data + 2, data + size);
    fuzz::check_decoding(tokenizer, ids);
    if (tokenizer.spm().empty()) return 0;
    const size_t characters = utf8::count(text);
    size_t last = 0;
    for (const Span& span : tokenizer.encode(text).offsets) {
      fuzz::require(span.from >= last && span.to <= characters);
      last = span.from;
    }
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
  return 0;
}
