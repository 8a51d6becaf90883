// `jogak bench tokenizer`: how fast a tokenizer loads, encodes and decodes on one thread.
#pragma once

#include <string>

#include "base/json.h"

namespace jogak {

struct TokenizerBenchOptions {
  std::string tokenizer;    // a tokenizer.json, a .model or a directory
  std::string file;         // text, .gz and .zst too
  int64_t document = 4000;  // bytes after which the next line opens another document
  int rounds = 3;           // the best counts
};

struct TokenizerBench {
  std::string tokenizer;
  int64_t bytes = 0, documents = 0, tokens = 0;
  int vocab_size = 0;
  double load_ms = 0;
  double encode_mb_s = 0, encode_full_mb_s = 0;  // the full one has tokens and offsets, too
  double decode_mb_s = 0;
  std::string ids_sha256, text_sha256;
  double peak_rss_mb = 0;
};

// Seconds are of the thread's own clock, so that other work on the machine counts as little as can
// be; MB are those of the text.
TokenizerBench bench_tokenizer(const TokenizerBenchOptions& how);
Json to_json(const TokenizerBench& bench);

}  // namespace jogak
