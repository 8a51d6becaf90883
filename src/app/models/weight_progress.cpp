#include "app/models/weight_progress.h"

#include <algorithm>
#include <chrono>

#include "base/progress.h"

namespace jogak {
namespace {

constexpr int64_t kFew = 50'000'000;

}  // namespace

WeightProgress::WeightProgress(Device& device, int64_t weights) : device_(device) {
  if (weights < kFew) return;
  const size_t before = device.allocator().stats().live_bytes;
  watch_ = std::thread([this, weights, before] { tell(weights, before); });
}

WeightProgress::~WeightProgress() {
  if (!watch_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    made_ = true;
  }
  ended_.notify_one();
  watch_.join();
}

void WeightProgress::tell(int64_t weights, size_t before) {
  const Lang lang = log_language();
  Progress progress(lang == Lang::ko ? "가중치 만들기" : "making weights", weights, lang);
  progress.update(0);
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::milliseconds(200), [this] { return made_; })) {
    const size_t now = std::max(device_.allocator().stats().live_bytes, before);
    const auto made = static_cast<int64_t>((now - before) / sizeof(float));
    progress.update(std::min(made, weights));
  }
  progress.finish();
}

void write_weights(const std::string& directory, const TensorSources& weights,
                   const std::string& title, Lang lang) {
  uint64_t all = 0, done = 0;
  for (const TensorSource& one : weights) all += one.bytes();
  Progress progress(title, static_cast<int64_t>(all), lang);
  progress.update(0);
  save_model_files(
      directory, weights, {{"format", "pt"}}, kMaxShardBytes,
      [&](const TensorSource& one) { progress.update(static_cast<int64_t>(done += one.bytes())); });
  progress.finish();
}

}  // namespace jogak
