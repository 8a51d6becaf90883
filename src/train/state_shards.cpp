#include "train/state_shards.h"

namespace jogak {

namespace {

// Where a checkpoint's tensors are put together: in the host's memory, or where memory is counted.
Device& host_of(const std::vector<Optimizer::Entry>& entries) {
  for (const Optimizer::Entry& entry : entries)
    if (entry.part.defined() && !entry.part.on_cuda()) return entry.part.device();
  return cpu_device();
}

}  // namespace

NamedTensors gather_state(ProcessGroup& group, const Shards& shards, const Optimizer& optimizer) {
  const auto [index, count] = group.processes();
  if (count == 1) return optimizer.state();
  NamedTensors out;
  Parcels parcels(group, Parcels::Way::host);
  const std::vector<Optimizer::Entry> entries = optimizer.entries();
  Device& host = host_of(entries);
  // Blocks of the step's shares are kept for the next one, and too small for whole tensors.
  host.synchronize();
  host.allocator().trim();
  for (const Optimizer::Entry& entry : entries) {
    if (index != 0) {
      if (entry.part.defined()) parcels.send(0, entry.part);
      continue;
    }
    const Tensor whole = empty(entry.shape, entry.dtype, host);
    if (entry.part.defined())
      copy_into(elements(whole, shards.owned(0, entry.weight)),
                to_device(entry.part, whole.device()));
    for (int64_t other = 1; other < count; ++other)
      parcels.receive(other, elements(whole, shards.owned(other, entry.weight)));
    out.emplace_back(entry.name, whole);
  }
  parcels.exchange(group);
  return out;
}

void scatter_state(ProcessGroup& group, const Shards& shards, const Optimizer& optimizer,
                   const SafetensorsFile* file) {
  const auto [index, count] = group.processes();
  for (const Optimizer::Entry& entry : optimizer.entries()) {  // one whole tensor at a time
    Parcels parcels(group, Parcels::Way::host);
    if (index != 0) {
      if (entry.part.defined()) parcels.receive(0, entry.part);
    } else {
      const Tensor whole = file->read(entry.name);
      if (entry.part.defined())
        copy_into(entry.part,
                  to_device(elements(whole, shards.owned(0, entry.weight)), entry.part.device()));
      for (int64_t other = 1; other < count; ++other)
        parcels.send(other, elements(whole, shards.owned(other, entry.weight)));
    }
    parcels.exchange(group);
  }
}

}  // namespace jogak
