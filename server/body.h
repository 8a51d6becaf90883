// The body of an HTTP request as it comes: by its length, or in chunks that are read as strictly as
// heads are.
#pragma once

#include "server/head.h"

namespace jogak::server {

inline constexpr size_t kLongestChunkLine = 4 << 10;  // its size with what extends it

class BodyReader {
 public:
  BodyReader(const Framing& framing, size_t most)
      : chunked_(framing.chunked), most_(most), left_(framing.length) {}

  enum class State : uint8_t { more, whole, refused };
  // Takes what belongs to the body off the front of `bytes`.
  State take(std::string_view& bytes);
  std::string& body() { return body_; }
  const Refusal& refusal() const { return refusal_; }

 private:
  enum class Part : uint8_t { size, extension, data, data_end, trailer };
  State take_byte(char c);
  State end_of_line();
  State refuse(std::string message);

  bool chunked_;
  size_t most_, left_;  // left: of the body, or of a chunk
  Part part_ = Part::size;
  size_t digits_ = 0, line_ = 0, trailers_ = 0;  // of the size; bytes of the line; of all trailers
  bool returned_ = false;                        // a CR came
  std::string body_;
  Refusal refusal_;
};

Refusal too_large(size_t most);  // 413

}  // namespace jogak::server
