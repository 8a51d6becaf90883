// `jogak classify` on a model that reads images.
#pragma once

#include "app/use/classify.h"

namespace jogak {

// A function that takes names of files, PNG, JPEG or IDX (every image of it), and writes for each
// image its likeliest labels, a line each: label, score and file, with tabs between; of IDX files
// "file#number". With json {"schema","image","predictions":[{"label","score"}]}. What is done to an
// image first is what preprocessor_config.json says, else as `jogak train` does.
TakeLines classify_image_lines(const ClassifyCommand& command, Model model);

}  // namespace jogak
