// NFC as rewriting rules, for SentencePiece, which keeps such rules in its .model files.
#pragma once

#include <string>

namespace jogak::text {

// A rule a line: code points in hexadecimal, a tab, what they become. Every character that NFC
// composes or rewrites is there with all its spellings by fewer characters; marks in an order that
// is not canonical are beyond rules. Tabs and line ends become spaces.
std::string nfc_rules();

}  // namespace jogak::text
