#include "app/tools/merge.h"

#include "app/models/adapter.h"
#include "app/tools/target.h"

namespace jogak {

void merge_adapters(const MergeOptions& o) {
  TargetDirectory target({o.out, o.overwrite, {o.adapters}}, is_run_file);
  merge_adapter(o.adapters, target.path());
  target.finish();
}

}  // namespace jogak
