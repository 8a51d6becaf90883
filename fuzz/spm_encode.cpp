// Any text through every kind of .model: the first byte picks the model. Encoding twice gives the
// same, offsets stay inside the text and go up.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/utf8.h"
#include "text/stream_decoder.h"
#include "text/tokenizer.h"

namespace {

const std::vector<jogak::Tokenizer>& tokenizers() {
  static const auto* const all = [] {
    auto* out = new std::vector<jogak::Tokenizer>;
    const char* const folder = std::getenv("JOGAK_FUZZ_MODELS");  // set by fuzz/run.sh
    for (const std::string& name : jogak::list_directory(folder))
      out->push_back(jogak::Tokenizer::load(jogak::join_path(folder, name)));
    return out;
  }();
  return *all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace jogak;
  if (size == 0) return 0;
  const Tokenizer& tokenizer = tokenizers()[data[0] % tokenizers().size()];
  const std::string text = utf8::lossy({reinterpret_cast<const char*>(data + 1), size - 1});
  const Encoding encoding = tokenizer.encode(text);
  if (encoding.ids != tokenizer.encode_ids(text)) __builtin_trap();
  const size_t characters = utf8::count(text);
  size_t last = 0;
  for (const Span& span : encoding.offsets) {
    if (span.from < last || span.to < span.from || span.to > characters) __builtin_trap();
    last = span.from;
  }
  StreamDecoder stream(tokenizer);
  std::string streamed;
  for (const int id : encoding.ids) streamed += stream.push(id);
  streamed += stream.finish();
  if (streamed != tokenizer.decode(encoding.ids)) __builtin_trap();
  if (utf8::first_invalid(streamed) != std::string::npos) __builtin_trap();
  return 0;
}
