// A SentencePiece .model of given pieces.
#pragma once

#include <string>

#include "text/spm/file.h"

namespace jogak::text {

// Bytes that read_spm and SentencePiece itself read; without character maps.
std::string write_spm(const SpmFile& spm);

}  // namespace jogak::text
