// Turns the pieces of a .model back into text.
#pragma once

#include <memory>

#include "text/spm/file.h"
#include "text/stages/decoder.h"

namespace jogak::text {

std::unique_ptr<Decoder> make_spm_decoder(const SpmFile& spm);

}  // namespace jogak::text
