// `jogak export --as pytorch`: a laboratory model as one readable PyTorch file with a loader.
#pragma once

#include <string>

namespace jogak {

struct ExportCommand {
  std::string directory, out;  // a model directory; the Python file to write
  bool overwrite = false;
};

// UsageError for a model of another family: transformers has those.
void export_model(const ExportCommand& command);

std::string pytorch_source(const std::string& directory, const std::string& module);

}  // namespace jogak
