// The laboratory model in PyTorch: the file that `jogak export` fills in.
#pragma once

#include <string_view>

namespace jogak {

// Lines that begin with ?a,!b| stand where `a` holds and `b` does not; @NAME@ is a value.
extern const std::string_view kLabPyTorch;
extern const std::string_view kGruPyTorch;

}  // namespace jogak
