// As in CMakeLists.txt; a test holds the two together.
#pragma once

namespace jogak {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace jogak
