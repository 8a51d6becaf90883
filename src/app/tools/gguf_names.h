// What llama.cpp calls the families we have, and how its files differ from theirs.
#pragma once

#include <string>
#include <vector>

#include "io/gguf.h"

namespace jogak {

struct GgufName {
  const char *there, *here;  // a layer's number is '*'; ".weight" and ".bias" follow
};

// What was done to a weight on its way there, and is undone here.
struct GgufLayouts {
  std::vector<const char*> paired = {};  // rows of a head that rotate together were put in pairs
  std::vector<const char*> transposed = {};  // [in, out] became [out, in]
  std::vector<const char*> raised = {};      // gains that are kept less 1 had it added
};

struct GgufArchitecture {
  const char *name, *family;  // "general.architecture", ours
  std::vector<GgufName> names;
  GgufLayouts layouts = {};
};

const std::vector<GgufArchitecture>& gguf_architecture_list();
const GgufArchitecture& gguf_architecture(const GgufFile& file);  // FormatError when unknown

// "blk.3.attn_q.weight" as the family's directories call it; empty: it is not known.
std::string name_here(const GgufArchitecture& a, const std::string& there);
// Whether a name of a file is one of these, whatever its layer.
bool is_one_of(const std::string& there, const std::vector<const char*>& names);

}  // namespace jogak
