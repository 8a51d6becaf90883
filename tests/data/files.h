// Token files for tests, without a tokenizer.
#pragma once

#include "data/token_file.h"
#include "tests/io/bytes.h"
#include "tests/support/temp_dir.h"

namespace jogak::test {

inline std::vector<int> encode_bytes(std::string_view text) {  // one id a byte
  std::vector<int> ids;
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
  return ids;
}

// Without a cache: ids in memory.
inline TokenFile tokens_of(const TempDir& dir, const std::string& text) {
  write_plain(dir / "text", text);
  return TokenFile({.text = dir / "text", .encode = encode_bytes, .vocab_size = 256});
}

inline std::string text_in(const TokenFile& tokens) {
  std::vector<int64_t> ids(static_cast<size_t>(tokens.count()));
  tokens.read(0, ids);
  return {ids.begin(), ids.end()};
}

}  // namespace jogak::test
