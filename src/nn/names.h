// How the names and layouts of a model's weights differ between our modules and the file. It is
// data, used for import and export alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jogak {

struct NameMap {
  std::string prefix = {};                   // "transformer.": present in the file or not
  std::vector<std::string> outside = {};     // names that never carry the prefix: "lm_head.weight"
  std::vector<std::string> transposed = {};  // "*.c_fc.weight": the file holds [in, out]
  std::vector<std::string> ignored = {};     // in some files, and of no use: "*.attn.bias"
  struct Spelling {
    std::string ours, theirs;
  };
  // Parts of names that other files spell otherwise: {".LayerNorm.weight", ".LayerNorm.gamma"}.
  // Both are read; ours is written.
  std::vector<Spelling> spellings = {};

  bool is_transposed(std::string_view name) const;
  bool is_ignored(std::string_view name) const;
  bool takes_prefix(std::string_view name) const;
  std::string file_name(std::string_view name) const;  // as we write it: with the prefix
  std::string respelled(std::string name) const;       // every part as the other files have it
};

// One '*' stands for any run of characters.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace jogak
