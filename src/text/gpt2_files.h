// GPT-2's own pair of files: tokens with ids in JSON, merges as lines of text.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "text/models/bpe.h"

namespace jogak::text {

inline constexpr std::array<std::pair<const char*, const char*>, 3> kGpt2FileNames = {
    {{"vocab.json", "merges.txt"},
     {"encoder.json", "vocab.bpe"},
     {"gpt2_encoder.json", "gpt2_vocab.bpe"}}};

MergeTable read_merges(std::string_view text, const Vocab& vocab, const std::string& file);

}  // namespace jogak::text
