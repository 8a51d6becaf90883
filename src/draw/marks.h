// Signs by which a drawing is known as one of jogak's: a newer one may replace it.
#pragma once

#include <string_view>

namespace jogak {

inline constexpr std::string_view kSvgFonts =
    "'Noto Sans KR', 'Nanum Gothic', 'Malgun Gothic', 'DejaVu Sans', sans-serif";
inline constexpr std::string_view kPageMark = "<meta name=\"generator\" content=\"jogak\">";

}  // namespace jogak
