#include "app/measure/bench_model.h"

#include <algorithm>

#include "base/parallel.h"
#include "nn/laying_out.h"
#include "ops/kernels/isa.h"
#include "train/memory.h"

namespace jogak {

double seconds_since(BenchClock::time_point start) {
  return std::chrono::duration<double>(BenchClock::now() - start).count();
}

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

Model bench_model(const BenchOptions& o, WeightUse use) {
  const LayingOut tiles(LayingOut::Tables::all);
  if (!o.directory.empty()) return open_model(o.directory, {.use = WeightUse::as_stored});
  return new_model(preset_config(family_named(o.family), o.preset, o.settings), 1, {.use = use});
}

BenchedModel benched(const BenchOptions& o, const Model& model) {
  return {.family = o.directory.empty() ? o.family : model.model_type,
          .parameters = model.store->count(),
          .batch = o.batch,
          .seq = o.seq,
          .steps = o.steps,
          .threads = thread_count(),
          .isa = isa_name(),
          .dtype = o.directory.empty() ? o.dtype : "auto"};
}

double peak_rss_mb() { return static_cast<double>(peak_resident_bytes()) / 1e6; }

}  // namespace jogak
