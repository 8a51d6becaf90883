// The head of an HTTP request, read strictly: what could be understood in two ways is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "server/message.h"

namespace jogak::server {

inline constexpr size_t kLongestLine = 8 << 10;   // of the request line
inline constexpr size_t kLongestHead = 32 << 10;  // of all lines
inline constexpr size_t kMostFields = 100;

struct Refusal {
  int status = 400;
  const char* code = "bad_request";
  std::string message = {};
};

struct Head {
  std::string method, target;
  int minor = 1;                                            // of HTTP/1.
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case

  const std::string* find(std::string_view name) const;  // the first; null when absent
  size_t count(std::string_view name) const;
};

// Looks at bytes as they come, so that a wrong head is refused before it is whole.
class HeadReader {
 public:
  enum class State : uint8_t { more, whole, refused };
  State take(std::string_view all);      // everything since the request began
  size_t size() const { return seen_; }  // of a whole head, with the empty line
  const Refusal& refusal() const { return refusal_; }

 private:
  State refuse(int status, const char* code, std::string message);

  size_t seen_ = 0, line_ = 0, lines_ = 0;  // bytes looked at; where the line began; lines ended
  Refusal refusal_;
};

std::variant<Head, Refusal> parse_head(std::string_view bytes);

// How the body comes, and whether the connection stays.
struct Framing {
  bool chunked = false, expects = false, stays = true;
  size_t length = 0;
};
std::variant<Framing, Refusal> framing_of(const Head& head);

// The target as path and query. 404 for what is not a plain path: other forms, "//", "..", %00.
struct Target {
  std::string path;
  Texts query;
};
std::variant<Target, Refusal> parse_target(std::string_view target);

}  // namespace jogak::server
