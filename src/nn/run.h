// Everything that changes between calls of a model: training or not, dropout's random numbers,
// the cache of keys and values, a request to stop, and a probe that watches. Models are const.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/stop.h"
#include "nn/probe.h"

namespace jogak {

class KvCache;
struct CacheStep;

class Run;

// Where in the model a call stands: a layer, or outside of them (a plain Run becomes that).
struct LayerRun {
  Run* run;
  int64_t layer = -1;
  bool source = false;          // the encoder of an encoder-decoder
  std::string_view path = {};   // "h.0"; lives as long as the layer
  std::string_view place = {};  // "attn"

  LayerRun(Run& r) : run(&r) {}
  LayerRun(Run& r, int64_t index, std::string_view where, bool of_source)
      : run(&r), layer(index), source(of_source), path(where) {}
  Run& operator*() const { return *run; }
  Run* operator->() const { return run; }
  LayerRun at(std::string_view part) const;  // within the layer

  bool watched() const;
  ProbeStep step(Part part, std::string_view detail = {}) const {
    return {part, layer, source, path, place, detail};
  }
  // What a step of this place made of `in`: seen by the probe, which may give something else.
  Tensor pass(Part part, std::string_view detail, const Tensor& in, Tensor out) const;
  // The same of a module that has a path of its own.
  Tensor made(Part part, std::string_view module, const Tensor& in, Tensor out) const;
};

class Run {
 public:
  bool training = false;
  uint64_t seed = 0;  // with `step`: which dropout masks this call draws
  uint64_t step = 0;
  // For gradients keep of each block its inputs alone, and run it once more on the way back
  // (nn/recompute.h). `again` says that this is the second time: what learns from batches, such as
  // running statistics, has learnt already.
  bool recompute = false, again = false;
  // Nothing is computed, memory is counted: of a validation some batches stand for all.
  bool rehearsal = false;
  const std::atomic<bool>* stop = &stop_asked();
  Probe* probe = nullptr;
  Tensor key_mask;           // bool [B, T], false for padding; undefined: all tokens are real
  Tensor positions;          // i64 [B, T]; undefined: 0, 1, 2 .. in each row
  Tensor token_types;        // i64 [B, T], for models that tell kinds of tokens apart
  KvCache* cache = nullptr;  // with cache_step: generation, see nn/cache.h
  CacheStep* cache_step = nullptr;
  KvCache* sources = nullptr;  // what the rows of cache_step translate: keys and values of theirs

  // Throws Stopped when the user asked for it; checked at every layer.
  LayerRun layer(int64_t index, std::string_view path = {}, bool source = false);

  // Whether a pass over items 0 .. count-1, `batch` at a time, takes those from `first` on.
  bool takes(int64_t first, int64_t batch, int64_t count) const {
    return !rehearsal || first == 0 || first + 2 * batch >= count;
  }

  // A fresh stream of random numbers for each dropout of a call, in order of the calls.
  static constexpr uint64_t kStreams = uint64_t{1} << 20;  // of a step, at most
  uint64_t next_stream() { return step * kStreams + streams_++; }
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

inline bool LayerRun::watched() const { return run->probe != nullptr; }

inline LayerRun LayerRun::at(std::string_view part) const {
  LayerRun out = *this;
  out.place = part;
  return out;
}

inline Tensor LayerRun::pass(Part part, std::string_view detail, const Tensor& in,
                             Tensor out) const {
  if (!watched()) return out;
  return run->probe->pass(step(part, detail), in, out);
}

inline Tensor LayerRun::made(Part part, std::string_view module, const Tensor& in,
                             Tensor out) const {
  if (!watched()) return out;
  return run->probe->pass({part, layer, source, module}, in, out);
}

}  // namespace jogak
