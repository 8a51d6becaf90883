// How the camera was held, as files say it: transformers turns an image upright when it opens one
// by its path, and so does everybody who shows it.
#pragma once

#include <string_view>

#include "data/image.h"

namespace jogak {

// 1 to 8 as EXIF counts, from JPEG or PNG bytes: the tag of EXIF, or else of XMP, as Pillow looks
// for them. 1 where there is none or nothing that can be read.
int image_orientation(std::string_view bytes);

Image upright(Image image, int orientation);

}  // namespace jogak
