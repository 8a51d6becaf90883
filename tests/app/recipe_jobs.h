// Small recipes of every kind of data, and the files that they may name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/support/temp_dir.h"

namespace jogak::test {

using Keys = std::map<std::string, std::string>;  // "train.lr" -> a value as TOML has it

inline std::string quoted(const std::string& text) { return "\"" + text + "\""; }

// Two of everything that data is read from.
struct RecipeFiles {
  TempDir dir{memory_place()};

  RecipeFiles();

  std::string file(const std::string& kind, int n) const {
    return dir / text_of(kind, "-", n,
                         kind == "labels"   ? ".csv"
                         : kind == "series" ? ".csv"
                                            : ".txt");
  }
  std::string named(const std::string& kind, int n) const { return quoted(file(kind, n)); }
};

struct RecipeJob {
  const char* name;
  std::string kind;
  Keys keys;
};

Keys with(Keys keys, const Keys& more);  // which win

std::vector<RecipeJob> recipe_jobs(const RecipeFiles& files);

std::string toml(const Keys& keys);

}  // namespace jogak::test
