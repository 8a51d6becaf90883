#include "app/tools/merge.h"

#include "app/models/adapter.h"
#include "app/models/model.h"
#include "app/models/target.h"
#include "base/file.h"
#include "text/tokenizer.h"

namespace jogak {

static void write_merged(const std::string& directory, const std::string& final_place,
                         const std::string& out) {
  ensure<FormatError>(is_adapter_directory(directory), directory, ": found no ", kAdapterConfig,
                      " without a config.json, wanted a directory of adapters");
  const AdapterConfig config = read_adapter_config(directory);
  // Their adapters would be added to it a second time.
  ensure<UsageError>(!same_path(config.base, final_place), final_place,
                     ": is the model that the adapters belong to; choose another directory");
  save_model(open_model(directory), out, Telling::progress);
  const bool own = file_exists(join_path(directory, "tokenizer.json"));
  Tokenizer::load(own ? directory : config.base).save(out);
}

void merge_adapters(const MergeOptions& o) {
  TargetDirectory target({o.out, o.overwrite, {o.adapters}}, is_run_file);
  write_merged(o.adapters, o.out, target.path());
  target.finish();
}

}  // namespace jogak
