// Every family's goldens and small runs: one list for all tests that walk families. A directory of
// tests/goldens with a model in it is a golden; which tests it serves, its tensors say.
#pragma once

#include <string>
#include <vector>

namespace jogak::test {

// "gpt2-a", "gpt2-b", ..: directories with a model of this type, or of any.
std::vector<std::string> goldens_of(const std::string& model_type);
std::vector<std::string> all_goldens();

// "gpt2-a" as tests are named: "gpt2_a".
std::string test_name(std::string golden);

}  // namespace jogak::test
