// What holds for any tokenizer and any text; a breach ends the fuzz target.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "text/stream_decoder.h"
#include "text/tokenizer.h"

namespace jogak::fuzz {

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

inline void check_error(const Error& error) {
  const std::string_view what = error.what();
  require(!what.empty() && what.find('\n') == std::string_view::npos);
  require(utf8::first_invalid(what) == std::string_view::npos);
}

// Two streams side by side give the whole decode of each, in whole characters.
inline void check_decoding(const Tokenizer& tokenizer, const std::vector<int>& ids) {
  StreamDecoder streams[] = {StreamDecoder(tokenizer, true), StreamDecoder(tokenizer, false)};
  std::string streamed[2];
  for (size_t i = 0; i <= ids.size(); ++i)
    for (size_t s = 0; s < 2; ++s) {
      const std::string part = i < ids.size() ? streams[s].push(ids[i]) : streams[s].finish();
      require(utf8::first_invalid(part) == std::string::npos);
      streamed[s] += part;
    }
  require(streamed[0] == tokenizer.decode(ids, true));
  require(streamed[1] == tokenizer.decode(ids, false));
}

inline void check_text(const Tokenizer& tokenizer, std::string_view text,
                       EncodeOptions options = {}) {
  const Encoding encoding = tokenizer.encode(text, options);
  require(encoding.ids == tokenizer.encode_ids(text, options));
  const size_t count = encoding.ids.size();
  require(encoding.tokens.size() == count && encoding.offsets.size() == count);
  for (const int id : encoding.ids) require(id >= 0);
  for (const Span& span : encoding.offsets) require(span.from <= span.to);
  check_decoding(tokenizer, encoding.ids);
}

}  // namespace jogak::fuzz
