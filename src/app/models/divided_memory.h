// How much memory each of several processes takes among which a model's layers are divided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace jogak {

// Tokens of the longest of these texts, as the model's tokenizer cuts them.
int64_t longest_prompt(const std::string& directory, const std::vector<std::string>& prompts);

// Bytes that each of so many processes will take to open a language model and read so many tokens.
size_t predict_divided(const std::string& directory, const std::string& dtype, int64_t processes,
                       int64_t tokens);

}  // namespace jogak
