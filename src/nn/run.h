// Everything that changes between calls of a model: training or not, dropout's random numbers,
// the cache of keys and values, a request to stop, and a probe that watches. Models are const.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

namespace jogak {

class KvCache;
struct CacheStep;

// Sees named values on their way through a model; costs nothing when absent.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual bool wants_attention() const { return false; }
  virtual void see(std::string_view name, int64_t layer, const Tensor& value) = 0;
};

class Run;

struct LayerRun {
  Run* run;
  int64_t layer;
  Run& operator*() const { return *run; }
  Run* operator->() const { return run; }
};

class Run {
 public:
  bool training = false;
  uint64_t seed = 0;  // with `step`: which dropout masks this call draws
  uint64_t step = 0;
  const std::atomic<bool>* stop = nullptr;
  Probe* probe = nullptr;
  Tensor key_mask;           // bool [B, T], false for padding; undefined: all tokens are real
  KvCache* cache = nullptr;  // with cache_step: generation, see nn/cache.h
  CacheStep* cache_step = nullptr;
  KvCache* sources = nullptr;  // what the rows of cache_step translate: keys and values of theirs

  // Throws Stopped when the user asked for it; checked at every layer.
  LayerRun layer(int64_t index);

  // A fresh stream of random numbers for each dropout of a call, in order of the calls.
  uint64_t next_stream() { return (step << 20) + streams_++; }
  void begin_step(uint64_t number) {
    step = number;
    streams_ = 0;
  }

  void see(std::string_view name, int64_t at_layer, const Tensor& value) {
    if (probe) probe->see(name, at_layer, value);
  }

 private:
  uint64_t streams_ = 0;
};

}  // namespace jogak
