// What every causal decoder has above its layers: a last norm, the matrix that scores the words,
// and a cache of the keys and values below them.
#pragma once

#include "nn/cache.h"
#include "nn/laying_out.h"
#include "nn/modules.h"
#include "ops/activation.h"
#include "ops/mul.h"

namespace jogak {

// Net is what is a family's own: config, a call from ids [B, T] to what its layers make of them
// [B, T, C], table() of the words' vectors and last_norm().
template <class Net>
struct CausalDecoder {
  Net net;
  Weight lm_head;  // the table, or a matrix of its own: [V, C]

  // As transformers: a head that the file has with other numbers than the table is not tied.
  template <class C>
  CausalDecoder(Params p, const C& c) : net(p, c) {
    const Params head = p / head_name();
    const bool apart = !c.tied || head.differs_in_file("weight", net.table());
    const Shape shape{c.vocab, net.table().dim(1)};
    lm_head.dense = scoring(apart ? head.table("weight", shape, normal(c.init)) : net.table());
  }

  // [B, T] -> [B, T, C], after the last norm; of a step over the cache the rows that are wanted.
  Tensor hidden(const Tensor& ids, Run& run) const {
    const Tensor x = net.last_norm()(wanted_rows(net(ids, run), run), run);
    run.see("hidden_states", net.config.layers, x);
    return x;
  }
  // The same, with what routers of experts said in each layer.
  Tensor hidden(const Tensor& ids, Run& run, std::vector<Tensor>& routes) const {
    const Tensor x = net.last_norm()(wanted_rows(net(ids, run, &routes), run), run);
    run.see("hidden_states", net.config.layers, x);
    return x;
  }
  Tensor operator()(const Tensor& ids, Run& run) const {  // [B, T] -> [B, T, V]
    const Tensor x = hidden(ids, run);
    return LayerRun(run).made(Part::other, "lm_head", x, words(x));
  }
  // What any layer would say if it were the last: [B, T, C] -> [B, T, V].
  Tensor read(const Tensor& x, Run& run) const { return words(net.last_norm()(x, run)); }

  CacheShape cache_shape() const {
    const auto outline = net.config.outline();
    int64_t longest = outline.context;
    if constexpr (requires { net.config.rope; }) longest = net.config.rope.context(longest);
    return {outline.decoder.layers,
            outline.decoder.kv_heads,
            outline.head_width,
            outline.head_width,
            longest,
            &net.table().device()};
  }

  // As the file has it: "lm_head", unless Net says otherwise.
  static constexpr const char* head_name() {
    if constexpr (requires { Net::kHead; }) return Net::kHead;
    return "lm_head";
  }
  // What logits may be at most; 0: anything.
  double logit_cap() const {
    if constexpr (requires { net.config.logit_cap; }) return net.config.logit_cap;
    return 0;
  }

  Tensor words(const Tensor& x) const {
    const double cap = logit_cap();
    if (cap == 0) return lm_head.apply(x, {}, Activation::none);
    return lm_head.apply(x * (1 / cap), {}, Activation::tanh, cap);
  }
};

}  // namespace jogak
