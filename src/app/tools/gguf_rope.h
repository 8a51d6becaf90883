// How far positions rotate in the model of a GGUF file, as config.json says it.
#pragma once

#include <string>

#include "base/json.h"
#include "io/gguf.h"

namespace jogak {

inline constexpr Fields::Range kGgufSize{1, int64_t{1} << 31};  // of whatever is counted

// Tensors that say it, and are no weights.
bool is_gguf_rope(const std::string& tensor);

// Sets rope_theta and rope_scaling. `head`: elements of a head; FormatError for a way to rotate
// that no configuration describes.
void set_gguf_rope(const GgufFile& file, const std::string& architecture, int64_t head, Json& out);

}  // namespace jogak
