// `jogak bench tokenizer`: how fast a tokenizer loads, encodes and decodes on one thread.
#pragma once

#include <string>

#include "base/json.h"

namespace jogak {

struct TokenizerBench {
  std::string tokenizer;    // a tokenizer.json, a .model or a directory
  std::string file;         // text, .gz and .zst too
  int64_t document = 4000;  // bytes after which the next line opens another document
  int rounds = 3;           // the best counts
};

// {"load_ms","encode_mb_s","encode_full_mb_s","decode_mb_s","tokens","ids_sha256","text_sha256",
// ..}: seconds of the thread's own clock, so that other work on the machine counts as little as
// can be. MB are those of the text. The full encoding has tokens and offsets beside the ids.
Json bench_tokenizer(const TokenizerBench& how);

}  // namespace jogak
