// Every family's goldens and small runs: one list for all tests that walk families. A directory of
// tests/goldens with a model in it is a golden; which tests it serves, its tensors say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jogak::test {

std::vector<std::string> all_goldens();                              // "bert-a", "bert-b", ..
std::vector<std::string> goldens_of(const std::string& model_type);  // "gpt2-a", ..
// Those whose golden.safetensors has a tensor of this name, and none of the other.
std::vector<std::string> goldens_with(const std::string& tensor, const std::string& without = "");

std::string test_name(std::string golden);  // "gpt2-a" as tests are named: "gpt2_a"

// A recipe of a family's preset tiny on generated data, without [train]'s common settings. A
// decoder needs no row of its own: it puts letters in order.
struct SmallRecipe {
  std::string model, data, train;
};
SmallRecipe small_recipe(const std::string& family, int64_t width);

}  // namespace jogak::test
