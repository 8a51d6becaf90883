// What every reply says beside its body, and the words of a stream.
#pragma once

#include "server/message.h"

namespace jogak::server {

using HeaderLines = std::vector<std::pair<std::string, std::string>>;

// Of the reply itself and what all have in common; without length and connection.
HeaderLines headers_of(const Reply& reply);

Reply too_busy();                       // 429
std::string too_many_connections();     // 503, whole: head and body
std::string head_of_stream(int minor);  // of HTTP/1.
std::string chunk_of(const std::string& pieces);
inline constexpr const char* kLastChunk = "0\r\n\r\n";

}  // namespace jogak::server
