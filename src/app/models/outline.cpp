#include "app/models/outline.h"

#include "app/models/adapter.h"
#include "app/models/model.h"
#include "base/file.h"

namespace jogak {

ModelOutline model_outline(const std::string& directory) {
  ensure<MissingError>(is_directory(directory), directory, ": no such model directory");
  if (is_adapter_directory(directory)) return model_outline(open_model(directory).base);
  const std::string file = join_path(directory, "config.json");
  const Json config = read_json_file(file);
  return family_of(config, file).outline(config, file);
}

}  // namespace jogak
