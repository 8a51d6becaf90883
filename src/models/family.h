// What the rest of the program knows of a family: one record, written beside its model. A new
// family adds a line to the list in families.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/model_outline.h"
#include "models/model.h"
#include "nn/causal_decoder.h"
#include "nn/config_table.h"
#include "nn/experts.h"
#include "nn/names.h"
#include "ops/add.h"
#include "ops/cast.h"
#include "ops/linear_cross_entropy.h"
#include "ops/mul.h"

namespace jogak {

struct Family {
  struct Preset {
    const char* name;
    std::vector<Json::Member> config;
  };
  // What goes on top of an encoder for one task.
  struct Head {
    EncoderTask task;
    const char* architecture;                // transformers' class
    std::vector<std::string> learn_whole{};  // layers that learn as they are beside adapters
  };

  const char* name;          // as the command line says it
  const char* model_type;    // as config.json says it
  const char* architecture;  // transformers' class, of a configuration that names none
  NameMap names;
  std::vector<Preset> presets;
  std::vector<std::string> lora_targets = {};  // layers that adapters join; empty: none here
  std::vector<Head> heads = {};
  // What a fresh encoder-decoder's answers start with: the end token, or the padding.
  bool starts_with_end = false;
  std::vector<std::string> head_weights = {};  // patterns: these may start anew for other data
  bool writes_text = false;                    // decoders and encoder-decoders

  // Made from the configuration's table and the model, by decoder_family and its like.
  std::vector<std::string> keys = {};  // that a configuration may have when it is written
  // Checked, every key filled in.
  std::function<Json(const Json& config, const std::string& file)> complete = {};
  std::function<Model(const Json& config, const std::string& file, ParamStore store)> build = {};
  std::function<ModelOutline(const Json& config, const std::string& file)> outline = {};
};

// The side of a record that follows from a configuration C: C::table() has its keys, c.outline()
// what it looks like.
template <class C>
Family with_configuration(Family family) {
  family.keys = {"architectures", "model_type", "torch_dtype"};
  for (const ConfigKey<C>& key : C::table())
    family.keys.insert(family.keys.end(), key.names.begin(), key.names.end());
  family.complete = [type = family.model_type, architecture = Json::array({family.architecture})](
                        const Json& config, const std::string& file) {
    Json full = Fields(config, file).json();
    if (!full.find("architectures")) full.set("architectures", architecture);
    Json out = Json::object();
    out.set("architectures", architecture).set("model_type", type);
    write_config(read_config<C>(full, file), out);
    return std::move(out.set("torch_dtype", "float32"));
  };
  family.outline = [type = family.model_type](const Json& config, const std::string& file) {
    ModelOutline out = read_config<C>(config, file).outline();
    out.name = type;
    return out;
  };
  return family;
}

// A model with its weights; what it can do comes after.
template <class M, class C>
std::shared_ptr<const M> make_net(Model& model, const Json& config, const C& c, ParamStore store) {
  model.config = config;
  model.store = std::make_unique<ParamStore>(std::move(store));
  const ModelOutline outline = c.outline();
  model.layers = outline.encoder.layers + outline.decoder.layers, model.width = outline.width;
  auto net = std::make_shared<const M>(Params(*model.store), c);
  model.store->finish();
  return net;
}

inline constexpr int64_t kLongestText = 1 << 24;

// With the loss of experts that are asked unevenly, as often as there are tokens: what a trainer
// divides by their number is then transformers' loss.
template <class Decoder>
Tensor balanced_loss(const Decoder& decoder, const Tensor& ids, const Tensor& targets,
                     const CrossEntropyOptions& options, Run& run) {
  const auto& c = decoder.net.config;
  std::vector<Tensor> routes;
  const Tensor x = decoder.hidden(ids, run, routes);
  const Tensor loss = linear_cross_entropy(x, decoder.lm_head.dense, targets, options);
  double counted = 0;
  for (const int64_t target : to_host<int64_t>(targets)) counted += target >= 0 ? 1 : 0;
  const Tensor uneven = to_dtype(balance_loss(routes, c.chosen, run.key_mask), loss.dtype());
  return loss + uneven * (c.balance * counted);
}

// A language model: Net is what CausalDecoder wants.
template <class Net>
Family decoder_family(Family record) {
  using C = decltype(Net::config);
  Family family = with_configuration<C>(std::move(record));
  family.writes_text = true;
  family.build = [type = family.model_type](const Json& config, const std::string& file,
                                            ParamStore store) {
    Model model;
    model.model_type = type;
    C c = read_config<C>(config, file);
    if (const LayerSplit* const split = store.split()) c = share_of(c, *split, type);
    constexpr bool kTypes = requires { Net::kTokenTypes; };
    const auto net = make_net<CausalDecoder<Net>>(model, config, c, std::move(store));
    model.causal = {.forward = [net](const Tensor& ids, Run& run) { return (*net)(ids, run); },
                    .cache = net->cache_shape(),
                    .vocab = c.vocab,
                    .token_types = kTypes};
    model.causal.trained = model.causal.cache.context;
    // Rotary positions and ALiBi have no table that ends: as in transformers, texts go on. Where
    // they rotate otherwise beyond a length, what is cached below it would not do there.
    if constexpr (requires { c.rope; })
      model.causal.cache.context =
          c.rope.kind == RopeKind::longrope ? c.rope.original : kLongestText;
    model.read = [net](const Tensor& x, Run& run) { return net->read(x, run); };
    model.loss_sum = [net](const Tensor& ids, const Tensor& targets, double label_smoothing,
                           Run& run) {
      const CrossEntropyOptions options{.label_smoothing = label_smoothing,
                                        .reduction = Reduction::sum};
      if constexpr (requires(std::vector<Tensor> * routes) { net->net(ids, run, routes); })
        if (net->net.config.balance > 0) return balanced_loss(*net, ids, targets, options, run);
      const Tensor x = net->hidden(ids, run);
      if (net->logit_cap() > 0) return cross_entropy(net->words(x), targets, options);
      return linear_cross_entropy(x, net->lm_head.dense, targets, options);
    };
    model.vocab = c.vocab, model.context = model.causal.trained;
    return model;
  };
  return family;
}

// A record whose models are an M; finish(model, net) says what they can do.
template <class M, class Finish>
Family family_of(Family record, Finish finish) {
  using C = decltype(M::config);
  Family family = with_configuration<C>(std::move(record));
  family.build = [type = family.model_type, finish](const Json& config, const std::string& file,
                                                    ParamStore store) {
    Model model;
    model.model_type = type;
    ensure<UsageError>(!store.split(), type,
                       ": layers of this family are not divided among processes");
    finish(model, make_net<M>(model, config, read_config<C>(config, file), std::move(store)));
    return model;
  };
  return family;
}

// A model that writes no text: encoder_of(M) is there.
template <class M>
Family encoder_family(Family record) {
  return family_of<M>(std::move(record), [](Model& model, std::shared_ptr<const M> net) {
    model.encoder = encoder_of(std::move(net));
    model.vocab = model.encoder.vocab, model.context = model.encoder.context;
  });
}

// An encoder-decoder: seq2seq_of(M) is there.
template <class M>
Family seq2seq_family(Family record) {
  record.writes_text = true;
  return family_of<M>(std::move(record), [](Model& model, std::shared_ptr<const M> net) {
    model.seq2seq = seq2seq_of(std::move(net));
    model.vocab = model.seq2seq.source_vocab;
    model.context = model.seq2seq.decoder.trained;  // one without a table of positions goes on
  });
}

}  // namespace jogak
