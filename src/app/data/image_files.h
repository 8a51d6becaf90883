// What a model directory says of its images.
#pragma once

#include <string>

#include "data/image_data.h"
#include "nn/encoder_model.h"

namespace jogak {

// preprocessor_config.json of the directory; without one (or a directory) the model's size, values
// from -1 to 1.
ImageInput image_input(const std::string& directory, const EncoderModel& model);

}  // namespace jogak
