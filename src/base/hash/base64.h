// Bytes as letters, and back (RFC 4648, with padding).
#pragma once

#include <string>
#include <string_view>

namespace jogak {

std::string encode_base64(std::string_view bytes);
// FormatError that begins with `place` for anything else.
std::string decode_base64(std::string_view text, const std::string& place);

}  // namespace jogak
