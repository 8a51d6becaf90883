#include "app/tools/merge.h"

#include <filesystem>

#include "app/models/adapter.h"
#include "app/models/model.h"
#include "app/models/target.h"
#include "app/tools/quantize_write.h"
#include "base/file.h"

namespace jogak {

// What stands beside the base's weights goes along; tokenizer files that the adapters have of their
// own take the place of the base's.
static void copy_beside(const std::string& adapters, const std::string& base,
                        const std::string& out) {
  copy_beside_weights(base, out);
  for (const std::string& name : list_directory(adapters))
    if (is_tokenizer_file(name))
      std::filesystem::copy(join_path(adapters, name), join_path(out, name),
                            std::filesystem::copy_options::overwrite_existing);
}

static void write_merged(const std::string& directory, const std::string& final_place,
                         const std::string& out) {
  ensure<FormatError>(is_adapter_directory(directory), directory, ": found no ", kAdapterConfig,
                      " without a config.json, wanted a directory of adapters");
  const AdapterConfig config = read_adapter_config(directory);
  // Their adapters would be added to it a second time.
  ensure<UsageError>(!same_path(config.base, final_place), final_place,
                     ": is the model that the adapters belong to; choose another directory");
  save_model(open_model(directory), out, Telling::progress);
  const std::string generation = join_path(out, "generation_config.json");
  if (file_exists(join_path(config.base, "generation_config.json")))
    std::filesystem::remove(generation);  // the base's own says more
  copy_beside(directory, config.base, out);
}

void merge_adapters(const MergeOptions& o) {
  TargetDirectory target({o.out, o.overwrite, {o.adapters}}, is_run_file);
  write_merged(o.adapters, o.out, target.path());
  target.finish();
}

}  // namespace jogak
