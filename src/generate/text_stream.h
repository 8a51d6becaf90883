// New tokens as text, piece by piece: whole characters only, nothing of a stop string.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "generate/stop_filter.h"
#include "text/stream_decoder.h"

namespace jogak {

class TextStream {
 public:
  // The prompt comes first because the first new token may read otherwise after it than alone.
  TextStream(const Tokenizer& tokenizer, std::span<const int> prompt,
             std::vector<std::string> stops);

  std::string push(int id);
  std::string finish();
  bool stopped() const { return filter_.stopped(); }

 private:
  StreamDecoder decoder_;
  StopFilter filter_;
};

}  // namespace jogak
