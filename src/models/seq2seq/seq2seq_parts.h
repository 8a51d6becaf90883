// What encoder-decoders have in common above their layers: tables of words that both sides share,
// token ids in config.json, and the functions that training and translating call.
#pragma once

#include <memory>
#include <vector>

#include "base/model_outline.h"
#include "nn/attention.h"
#include "nn/cache.h"
#include "nn/config_table.h"
#include "nn/seq2seq_model.h"

namespace jogak {

struct SharedTables {
  Tensor source, target, head;  // [V, C]: one tensor, but for what a file has otherwise
};

// "shared", from which "encoder.embed_tokens", "decoder.embed_tokens" and, where it is `tied`,
// "lm_head" differ only where the file has other numbers: as transformers.
SharedTables shared_tables(Params p, const Shape& shape, Init init, bool tied);

int64_t read_token(const Fields& f, const char* key, int64_t otherwise, int64_t vocab);
// The end token that training puts behind a text; of a list the first.
int64_t read_end(const Fields& f, int64_t otherwise, int64_t vocab);

// How far a text may go: a model without a table of positions has no end.
template <class Net>
int64_t longest_text(const Net& net) {
  if constexpr (requires { net.longest(); }) return net.longest();
  return net.config.context;
}

// Net has config, encode, hidden, logits, read, loss_sum and the layers of its decoder, each with
// the cross-attention it reads the source by.
template <class Net>
std::vector<int> remember_sources(const Net& net, const Tensor& memory,
                                  const std::vector<int64_t>& lengths, KvCache& sources) {
  std::vector<int> numbers;
  for (size_t b = 0; b < lengths.size(); ++b) numbers.push_back(sources.add());
  sources.begin(numbers, lengths);
  for (int64_t i = 0; i < net.config.outline().decoder.layers; ++i)
    remember(sources, i, net.cross(i).kv(memory), numbers);
  return numbers;
}

template <class Net>
Seq2SeqModel seq2seq_of(std::shared_ptr<const Net> m) {
  const auto& c = m->config;
  const ModelOutline outline = c.outline();
  Seq2SeqModel out;
  out.encode = [m](const Source& source, Run& run) { return m->encode(source, run); };
  out.decode = [m](const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) {
    const Tensor x = m->hidden(ids, memory, mask, run);
    return LayerRun(run).made(Part::other, "lm_head", x, m->logits(x));
  };
  out.hidden = [m](const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) {
    return m->hidden(ids, memory, mask, run);
  };
  out.read = [m](const Tensor& x) { return m->read(x); };
  out.loss_sum = [m](const Source& source, const Tensor& ids, const Tensor& targets,
                     double label_smoothing, Run& run) {
    const Tensor memory = m->encode(source, run);
    return m->loss_sum(m->hidden(ids, memory, source.mask, run), targets, label_smoothing);
  };
  out.remember = [m](const Tensor& memory, const std::vector<int64_t>& lengths, KvCache& sources) {
    return remember_sources(*m, memory, lengths, sources);
  };
  out.sources = {outline.decoder.layers, outline.decoder.kv_heads, outline.head_width,
                 outline.head_width,     longest_text(*m),         &m->table().device()};
  out.decoder = {.forward = [m](const Tensor& ids,
                                Run& run) { return m->logits(m->hidden(ids, {}, {}, run)); },
                 .cache = out.sources,
                 .trained = outline.context,
                 .vocab = m->table().dim(0)};
  out.source_vocab = c.vocab;
  out.start = static_cast<int>(c.start), out.end = static_cast<int>(c.end);
  out.pad = static_cast<int>(c.pad);
  return out;
}

}  // namespace jogak
