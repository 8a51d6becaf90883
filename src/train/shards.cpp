#include "train/shards.h"

namespace jogak {
namespace {

std::span<std::byte> host_bytes(const Tensor& x) {
  return {static_cast<std::byte*>(x.raw()), x.bytes()};
}

}  // namespace

Shards::Shards(std::span<const Tensor> weights, int64_t processes)
    : ranges_(static_cast<size_t>(processes), std::vector<ElementRange>(weights.size())) {
  int64_t total = 0;
  for (size_t end = weights.size(), begin = end; begin > 0;) {
    total += weights[--begin].count();
    if (total < kBucketElements && begin > 0) continue;
    buckets_.push_back({begin, end});
    divide(weights, buckets_.back(), total);
    end = begin, total = 0;
  }
}

void Shards::divide(std::span<const Tensor> weights, const WeightBucket& bucket, int64_t total) {
  const auto processes = static_cast<int64_t>(ranges_.size());
  int64_t before = 0;
  for (size_t i = bucket.begin; i < bucket.end; ++i) {
    const int64_t count = weights[i].count();
    if (processes == 1) {  // all of it, however many units that are
      ranges_[0][i] = {0, count};
      continue;
    }
    for (int64_t begin = 0; begin < count; begin += kShardUnit) {
      const int64_t end = std::min(begin + kShardUnit, count);
      // Whose stretch the middle of the unit falls into.
      const int64_t middle = before + (begin + end) / 2;
      ElementRange& range =
          ranges_[static_cast<size_t>(static_cast<__int128>(middle) * processes / total)][i];
      if (range.count() == 0) range.begin = begin;
      range.end = end;
    }
    before += count;
  }
}

Tensor elements(const Tensor& x, ElementRange range) {
  return x.view({range.count()}, {1}, x.offset() + range.begin);
}

void Parcels::send(int64_t to, const Tensor& x) {
  if (x.count() == 0) return;
  kept_.push_back(x.on_cuda() && !on_gpus_ ? to_device(x, cpu_device()) : dense(x));
  out_.push_back({to, host_bytes(kept_.back())});
}

void Parcels::receive(int64_t from, const Tensor& x) {
  if (x.count() == 0) return;
  Tensor host = x;
  if (x.on_cuda() && !on_gpus_) {
    host = empty(x.shape(), x.dtype());
    arrived_.emplace_back(x, host);
  } else {
    x.storage()->bump_version();
  }
  kept_.push_back(host);
  in_.push_back({from, host_bytes(host)});
}

// A GPU makes what is sent, and may still use the memory of what is received, when this is asked.
std::function<void(ProcessGroup&)> Parcels::work() const {
  std::shared_ptr<Event> made;
  if (on_gpus_ && !kept_.empty()) made = kept_[0].device().record_event();
  return [out = out_, in = in_, gpus = on_gpus_, made](ProcessGroup& group) {
    if (made) made->wait();
    if (gpus)
      group.exchange_on_gpus(out, in);
    else
      group.exchange(out, in);
  };
}

void Parcels::exchange(ProcessGroup& group) {
  work()(group);
  arrive();
}

void Parcels::arrive() {
  for (const auto& [to, from] : arrived_) copy_into(to, to_device(from, to.device()));
  out_.clear(), in_.clear(), kept_.clear(), arrived_.clear();
}

void gather_elements(ProcessGroup& group, const Shards& shards, std::span<const Tensor> weights) {
  const auto [index, count] = group.processes();
  Parcels parcels(group);
  for (int64_t other = 0; other < count; ++other) {
    if (other == index) continue;
    for (size_t i = 0; i < weights.size(); ++i) {
      parcels.send(other, elements(weights[i], shards.owned(index, i)));
      parcels.receive(other, elements(weights[i], shards.owned(other, i)));
    }
  }
  parcels.exchange(group);
}

void share_from_first(ProcessGroup& group, std::span<const Tensor> tensors) {
  const auto [index, count] = group.processes();
  Parcels parcels(group);
  for (const Tensor& x : tensors) {
    if (index != 0) parcels.receive(0, x);
    for (int64_t other = 1; index == 0 && other < count; ++other) parcels.send(other, x);
  }
  parcels.exchange(group);
}

}  // namespace jogak
