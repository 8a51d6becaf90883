// What a file is that turned out not to be safetensors, told by its first bytes.
#pragma once

#include <string_view>

namespace jogak {

// A sentence part such as "a Git LFS pointer, not the model; run `git lfs pull`", or null when
// the bytes are of no kind we know.
const char* foreign_kind(std::string_view first_bytes);

}  // namespace jogak
