// The laboratory's directories: `"model_type": "jogak-lab"`, keys in config.json, and what a model
// of each wiring can do.
#include "models/family.h"
#include "models/lab/gru.h"
#include "models/lab/lab.h"
#include "models/seq2seq/seq2seq_parts.h"
#include "ops/embedding.h"
#include "ops/reshape.h"

namespace jogak {
namespace {

using LabKey = ConfigKey<LabConfig>;
using Wiring = LabConfig::Wiring;
using Positions = LabConfig::Positions;

const ConfigWords<Wiring> kWirings = {{Wiring::encoder_decoder, "encoder-decoder"},
                                      {Wiring::encoder, "encoder"},
                                      {Wiring::decoder, "decoder"}};
const ConfigWords<LabConfig::Mixer> kMixers = {{LabConfig::Mixer::attention, "attention"},
                                               {LabConfig::Mixer::gru, "gru"},
                                               {LabConfig::Mixer::gru_attention, "gru-attention"}};
const ConfigWords<Positions> kPositions = {{Positions::sinusoidal, "sinusoidal"},
                                           {Positions::learned, "learned"},
                                           {Positions::rope, "rope"},
                                           {Positions::alibi, "alibi"},
                                           {Positions::relative, "relative"},
                                           {Positions::index, "index"},
                                           {Positions::none, "none"}};
const ConfigWords<LabConfig::Norm> kNorms = {{LabConfig::Norm::layer, "layer"},
                                             {LabConfig::Norm::rms, "rms"},
                                             {LabConfig::Norm::batch, "batch"},
                                             {LabConfig::Norm::none, "none"}};
const ConfigWords<LabConfig::Bend> kFeedForwards = {{LabConfig::Bend::relu, "relu"},
                                                    {LabConfig::Bend::gelu, "gelu"},
                                                    {LabConfig::Bend::silu, "silu"},
                                                    {LabConfig::Bend::swiglu, "swiglu"},
                                                    {LabConfig::Bend::none, "none"}};
const ConfigWords<bool> kJoins = {{false, "add"}, {true, "concatenate"}};
const ConfigWords<bool> kNormPlaces = {{true, "pre"}, {false, "post"}};
const ConfigWords<bool> kCrossFrom = {{false, "last"}, {true, "same"}};

bool attends(const LabConfig& c) { return c.mixer == LabConfig::Mixer::attention; }
bool recurs(const LabConfig& c) { return !attends(c); }
bool translates(const LabConfig& c) { return c.wiring == Wiring::encoder_decoder; }

// Found, and what would do: at the key's place in the file.
void refuse_if(bool wrong, const Fields& f, const char* key, const std::string& wanted) {
  if (wrong) f.wrong(place_of(f, key), key, wanted);
}

void check_together(const Fields& f, LabConfig& c) {
  const bool vectors = c.positions == Positions::sinusoidal || c.positions == Positions::learned ||
                       c.positions == Positions::index;
  refuse_if(recurs(c) && !translates(c), f, "mixer",
            "\"attention\": a GRU is an encoder-decoder here");
  refuse_if(
      recurs(c) && c.encoder_layers != c.decoder_layers, f, "decoder_layers",
      text_of("encoder_layers, ", c.encoder_layers, ": states are handed from layer to layer"));
  refuse_if(c.concatenate && !vectors, f, "position_join",
            "\"add\": only sinusoidal, learned and index positions are vectors");
  refuse_if(c.positions == Positions::rope && c.key % 2 != 0, f, "d_k",
            "an even number: rope turns pairs");
  refuse_if(c.one_matrix && c.kv_heads != c.heads, f, "kv_heads",
            text_of("heads, ", c.heads, ", where one matrix serves all"));
  refuse_if(c.one_matrix && c.value != c.key, f, "d_v",
            text_of("d_k, ", c.key, ", where one matrix serves all"));
  refuse_if(c.cross_same && c.encoder_layers != c.decoder_layers, f, "cross_attention_from",
            "\"last\" where encoder and decoder are not equally deep");
  refuse_if(translates(c) && c.share_embeddings && c.decoder_vocab != c.vocab, f,
            "decoder_vocab_size",
            text_of("vocab_size, ", c.vocab, ", where both sides share their embeddings"));
}

// A configuration that names none has padding as the last token, starts with it and ends with 0.
void read_tokens(const Fields& f, LabConfig& c) {
  const int64_t words = std::min(c.vocab, c.decoder_vocab);
  c.pad = f.integer_or("pad_token_id", words - 1, {0, words - 1});
  c.start = f.integer_or("decoder_start_token_id", c.pad, {0, c.decoder_vocab - 1});
  c.end = read_end(f, 0, c.decoder_vocab);
}

void write_tokens(const LabConfig& c, Json& json) {
  json.set("pad_token_id", c.pad).set("eos_token_id", c.end);
  json.set("decoder_start_token_id", c.start);
}

ConfigTable<LabConfig> size_rows() {
  return {
      LabKey::word("wiring", &LabConfig::wiring, kWirings),
      LabKey::together(
          {"is_encoder_decoder"}, nullptr,
          [](const LabConfig& c, Json& json) { json.set("is_encoder_decoder", translates(c)); }),
      LabKey::word("mixer", &LabConfig::mixer, kMixers),
      LabKey::size("vocab_size", &LabConfig::vocab),
      LabKey::size("decoder_vocab_size", &LabConfig::decoder_vocab).otherwise([](LabConfig& c) {
        c.decoder_vocab = c.vocab;
      }),
      LabKey::size("d_model", &LabConfig::width),
      LabKey::layers("encoder_layers", &LabConfig::encoder_layers).only_if(&LabConfig::reads),
      LabKey::layers("decoder_layers", &LabConfig::decoder_layers).only_if(&LabConfig::writes),
      LabKey::size("heads", &LabConfig::heads, {1, 1 << 12}),
      LabKey::divisor("kv_heads", &LabConfig::kv_heads, "heads", &LabConfig::heads)
          .otherwise([](LabConfig& c) { c.kv_heads = c.heads; }),
      LabKey::rule([](const Fields& f, LabConfig& c) {
        refuse_if(!f.has("d_k") && c.width % c.heads != 0, f, "heads",
                  text_of("a divisor of d_model ", c.width));
      }),
      LabKey::size("d_k", &LabConfig::key).otherwise([](LabConfig& c) {
        c.key = std::max<int64_t>(c.width / c.heads, 1);
      }),
      LabKey::size("d_v", &LabConfig::value).otherwise([](LabConfig& c) { c.value = c.key; }),
      LabKey::size("d_ff", &LabConfig::inner).otherwise([](LabConfig& c) {
        c.inner = 4 * c.width;
      }),
      // A table may be computed, not read: its size must not hang on the file's word.
      LabKey::size("max_position_embeddings", &LabConfig::context, {1, 1 << 16}),
  };
}

ConfigTable<LabConfig> choice_rows() {
  return {
      LabKey::word("positions", &LabConfig::positions, kPositions),
      LabKey::word("position_join", &LabConfig::concatenate, kJoins),
      LabKey::word("norm", &LabConfig::norm, kNorms),
      LabKey::word("norm_place", &LabConfig::norm_first, kNormPlaces),
      LabKey::epsilon("norm_eps", &LabConfig::eps),
      LabKey::word("feed_forward", &LabConfig::feed_forward, kFeedForwards),
      LabKey::flag("qkv_bias", &LabConfig::qkv_bias),
      LabKey::flag("one_qkv_matrix", &LabConfig::one_matrix),
      LabKey::word("cross_attention_from", &LabConfig::cross_same, kCrossFrom).only_if(translates),
      LabKey::flag("scale_scores", &LabConfig::scaled),
      LabKey::flag("residual", &LabConfig::residual),
      LabKey::flag("causal_mask", &LabConfig::masked),
      LabKey::flag("scale_embedding", &LabConfig::scale_embedding),
      LabKey::flag("small_start", &LabConfig::small_start),
      LabKey::flag("share_encoder_decoder_embeddings", &LabConfig::share_embeddings)
          .only_if(translates),
      LabKey::flag("tie_word_embeddings", &LabConfig::tied),
      LabKey::rate("embedding_dropout", &LabConfig::embedding_drop),
      LabKey::rate("attention_dropout", &LabConfig::attention_drop),
      LabKey::rate("residual_dropout", &LabConfig::residual_drop),
      LabKey::rate("feed_forward_dropout", &LabConfig::inner_drop),
      LabKey::rule([](const Fields& f, LabConfig& c) {
        c.classifies = c.wiring == Wiring::encoder && (f.has("id2label") || f.has("num_labels"));
      }),
      LabKey::labels(&LabConfig::labels).only_if([](const LabConfig& c) { return c.classifies; }),
      LabKey::together({"pad_token_id", "eos_token_id", "decoder_start_token_id"}, read_tokens,
                       write_tokens)
          .only_if(translates),
      LabKey::rule(check_together),
      LabKey::size("gru_width", &LabConfig::gru_width, {0, 1 << 16})
          .otherwise([](LabConfig& c) { c.gru_width = recurs(c) ? gru_width_for(c) : 0; })
          .only_if(recurs),
  };
}

// The model of 2017, small: sinusoids, norms behind the sums, ReLU, everything tied.
std::vector<Json::Member> lab_size(int layers, int heads, int width) {
  return {{"encoder_layers", layers},
          {"decoder_layers", layers},
          {"heads", heads},
          {"d_model", width},
          {"max_position_embeddings", 512}};
}

CausalModel decoder_of(const std::shared_ptr<const Lab>& net) {
  const LabConfig& c = net->config;
  return {.forward =
              [net](const Tensor& ids, Run& run) {
                const Tensor x = net->hidden(ids, {}, {}, run);
                return LayerRun(run).made(Part::other, "lm_head", x, net->logits(x));
              },
          .cache = {c.decoder_layers, c.kv_heads, c.key, c.value, net->longest(),
                    &net->table().device()},
          .trained = c.context,
          .vocab = c.decoder_vocab};
}

EncoderModel encoder_of(const std::shared_ptr<const Lab>& net) {
  const LabConfig& c = net->config;
  const auto hidden = [net](const EncoderInput& in, Run& run) {
    run.positions = in.positions;
    return net->encode({in.values, in.mask}, run);
  };
  EncoderModel out;
  out.task = c.classifies ? EncoderTask::classify : EncoderTask::fill;
  out.hidden = hidden;
  out.predict = [net, hidden](const EncoderInput& in, Run& run) {
    Tensor x = hidden(in, run);
    if (net->classifier) return net->label_logits(x, in.mask);
    if (in.wanted.defined()) x = embedding(reshape(x, {-1, net->config.width}), in.wanted);
    return LayerRun(run).made(Part::other, "logits", x, net->logits(x));
  };
  out.read = [net](const Tensor& x, Run&) {
    return net->classifier ? net->label_logits(x, {}) : net->read(x);
  };
  const Labels labels = c.classifies ? c.labels : Labels{{}, Problem::single_label};
  out.loss = [labels](const Tensor& predicted, const Tensor& targets,
                      const CrossEntropyOptions& o) {
    return label_loss(predicted, targets, labels, o);
  };
  if (c.classifies) out.labels = c.labels;
  out.width = c.width, out.vocab = c.vocab, out.context = c.context;
  return out;
}

Model build(const Json& config, const std::string& file, ParamStore store) {
  Model model;
  model.model_type = "jogak-lab";
  const LabConfig c = read_config<LabConfig>(config, file);
  if (recurs(c)) {
    model.seq2seq = gru_model(make_net<Gru>(model, config, c, std::move(store)));
    model.vocab = c.vocab, model.context = c.context;
    return model;
  }
  const auto net = make_net<Lab>(model, config, c, std::move(store));
  model.vocab = c.vocab, model.context = c.context;
  if (c.wiring == Wiring::encoder) {
    model.encoder = encoder_of(net);
  } else if (c.wiring == Wiring::decoder) {
    model.causal = decoder_of(net);
    model.vocab = c.decoder_vocab;
    model.read = [net](const Tensor& x, Run&) { return net->read(x); };
    model.loss_sum = [net](const Tensor& ids, const Tensor& targets, double smoothing, Run& run) {
      return net->loss_sum(net->hidden(ids, {}, {}, run), targets, smoothing);
    };
  } else {
    model.seq2seq = seq2seq_of(net);
    model.seq2seq.sources.value_width = model.seq2seq.decoder.cache.value_width = c.value;
  }
  return model;
}

}  // namespace

const ConfigTable<LabConfig>& LabConfig::table() {
  static const ConfigTable<LabConfig> keys = [] {
    ConfigTable<LabConfig> out = size_rows();
    for (LabKey& row : choice_rows()) out.push_back(std::move(row));
    return out;
  }();
  return keys;
}

ModelOutline LabConfig::outline() const {
  constexpr const char* kNames[] = {"LayerNorm", "RMSNorm", "BatchNorm", "none"};
  constexpr const char* kBends[] = {"ReLU", "GELU", "SiLU", "SwiGLU", "none"};
  constexpr const char* kPlaces[] = {"sinusoidal", "learned", "rotary", "alibi",
                                     "relative",   "index",   "none"};
  const ModelOutline::Stack stack{0, heads, kv_heads, inner};
  ModelOutline out{.wiring = wiring,
                   .block = norm_first ? ModelOutline::Block::pre : ModelOutline::Block::post,
                   .width = width,
                   .head_width = key,
                   .vocab = decoder_vocab,
                   .context = context,
                   .outputs = classifies ? labels.count() : decoder_vocab,
                   .gated = feed_forward == Bend::swiglu,
                   .final_norm = norm_first,
                   .positions = kPlaces[static_cast<size_t>(positions)],
                   .norm = kNames[static_cast<size_t>(norm)],
                   .activation = kBends[static_cast<size_t>(feed_forward)]};
  if (reads()) out.encoder = stack, out.encoder.layers = encoder_layers;
  if (writes()) out.decoder = stack, out.decoder.layers = decoder_layers;
  return out;
}

Family lab_family() {
  Family family = with_configuration<LabConfig>({.name = "lab",
                                                 .model_type = "jogak-lab",
                                                 .architecture = "JogakLab",
                                                 .names = {},
                                                 .presets = {{"tiny", lab_size(2, 4, 64)},
                                                             {"small", lab_size(4, 4, 128)},
                                                             {"base", lab_size(6, 8, 512)}},
                                                 .lora_targets = {"q_proj", "v_proj"}});
  family.build = build;
  return family;
}

}  // namespace jogak
