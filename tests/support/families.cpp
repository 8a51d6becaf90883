#include "tests/support/families.h"

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "tests/support/golden.h"

namespace jogak::test {
namespace {

struct Golden {
  std::string name, model_type;
};

const std::vector<Golden>& listed() {
  static const std::vector<Golden> all = [] {
    std::vector<Golden> out;
    for (const auto& entry : std::filesystem::directory_iterator(golden_dir(""))) {
      const std::string config = entry.path() / "config.json";
      if (!std::filesystem::exists(config) ||
          !std::filesystem::exists(entry.path() / "golden.safetensors"))
        continue;
      out.push_back({entry.path().filename(), read_json_file(config).find("model_type")->text()});
    }
    std::sort(out.begin(), out.end(),
              [](const Golden& a, const Golden& b) { return a.name < b.name; });
    return out;
  }();
  return all;
}

}  // namespace

std::vector<std::string> goldens_of(const std::string& model_type) {
  std::vector<std::string> out;
  for (const Golden& one : listed())
    if (one.model_type == model_type) out.push_back(one.name);
  return out;
}

std::vector<std::string> all_goldens() {
  std::vector<std::string> out;
  for (const Golden& one : listed()) out.push_back(one.name);
  return out;
}

std::string test_name(std::string golden) {
  std::replace(golden.begin(), golden.end(), '-', '_');
  return golden;
}

}  // namespace jogak::test
