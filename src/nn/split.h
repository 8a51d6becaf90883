// Layers divided among processes, for a model that does not fit one memory. Each process holds
// some heads of every attention and some of the inner features of every feed-forward: the first
// matrix of such a pair is cut by rows, the second by columns, and what the second makes is added
// over all processes. Norms, tables of words and the stream between blocks are whole everywhere.
#pragma once

#include <functional>
#include <string>

#include "base/error.h"
#include "base/processes.h"
#include "tensor/tensor.h"

namespace jogak {

struct LayerSplit {
  Processes self;
  // Adds x (dense, f32) over all processes, in their order: the same bits in each of them.
  std::function<void(const Tensor& x)> add;

  Tensor sum(Tensor x) const;

  // This process's share of so many heads or features. UsageError where they cannot be divided.
  int64_t share(int64_t whole, const char* model, const char* what) const {
    ensure<UsageError>(whole % self.count == 0, model, ": ", whole, " ", what,
                       " cannot be divided among ", self.count, " processes");
    return whole / self.count;
  }
};

// A decoder's configuration as this process builds it: fewer heads and inner features, of the same
// width each. What the family's modules ask for then is a slice of what the file has.
template <class C>
C share_of(C c, const LayerSplit& split, const char* model) {
  if constexpr (requires {
                  c.head;
                  c.heads;
                  c.inner;
                }) {
    if constexpr (requires { c.head_norms; })
      ensure<UsageError>(c.head_norms != C::HeadNorms::together, model,
                         ": norms over all heads are not divided among processes");
    if constexpr (requires { c.alibi; })
      ensure<UsageError>(!c.alibi, model, ": ALiBi is not divided among processes");
    if (c.head == 0) c.head = c.width / c.heads;
    if constexpr (requires { c.inner_width(); }) c.inner = c.inner_width();
    c.heads = split.share(c.heads, model, "heads");
    if constexpr (requires { c.kv_heads; })
      c.kv_heads = split.share(c.kv_heads, model, "heads of keys");
    c.inner = split.share(c.inner, model, "inner features");
    return c;
  } else {
    fail<UsageError>(model, ": layers of this family are not divided among processes");
  }
}

}  // namespace jogak
