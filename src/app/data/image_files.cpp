#include "app/data/image_files.h"

#include <algorithm>

#include "base/file.h"
#include "base/json.h"

namespace jogak {
namespace {

// Of an image that is smaller than a patch nothing is seen.
void check_size(const ImageInput& input, const std::string& directory, const std::string& file) {
  const std::string config = join_path(directory, "config.json");
  if (!file_exists(config)) return;
  const Json whole = read_json_file(config);
  const Json* const patch = whole.find("patch_size");
  if (!patch || !patch->is_integer()) return;
  ensure<FormatError>(std::min(input.height, input.width) >= patch->integer(), file,
                      ": \"size\": found ", input.height, " x ", input.width,
                      ", wanted at least a patch of ", patch->integer(), " x ", patch->integer());
}

}  // namespace

ImageInput image_input(const std::string& directory, const EncoderModel& model) {
  const std::string file = join_path(directory, "preprocessor_config.json");
  if (!directory.empty() && file_exists(file)) {
    const ImageInput found = read_image_input(read_json_file(file), file, model.channels);
    check_size(found, directory, file);
    return found;
  }
  ImageInput out;
  out.height = model.image[0], out.width = model.image[1], out.channels = model.channels;
  return out;
}

}  // namespace jogak
