#include "app/data/image_files.h"

#include "base/file.h"

namespace jogak {

ImageInput image_input(const std::string& directory, const EncoderModel& model) {
  const std::string file = join_path(directory, "preprocessor_config.json");
  if (!directory.empty() && file_exists(file))
    return read_image_input(read_json_file(file), file, model.channels);
  ImageInput out;
  out.height = model.image[0], out.width = model.image[1], out.channels = model.channels;
  return out;
}

}  // namespace jogak
