// BART: Marian with learned positions and a norm of the embeddings. mBART: the same with norms
// before each sub-layer. M2M100 and NLLB: norms before, sines that count real tokens alone.
#include "models/seq2seq/marian_keys.h"

namespace jogak {
namespace {

struct BartConfig : MarianConfig {
  BartConfig() {
    name = "bart", places = Places::learned, embedding_norm = true;
    vocab = 50265, pad = 1, start = 2, end = 2;
  }
  static const ConfigTable<BartConfig>& table() {
    static const ConfigTable<BartConfig> keys = marian_kin_rows<BartConfig>();
    return keys;
  }
};

struct MbartConfig : MarianConfig {
  MbartConfig() {
    name = "mbart", places = Places::learned, embedding_norm = norms_first = true;
    vocab = 50265, pad = 1, start = 0, end = 2;  // without a start transformers takes <s>
  }
  static const ConfigTable<MbartConfig>& table() {
    static const ConfigTable<MbartConfig> keys = marian_kin_rows<MbartConfig>();
    return keys;
  }
};

struct M2m100Config : MarianConfig {
  M2m100Config() {
    name = "m2m_100", places = Places::counted, norms_first = true;
    logits_bias = forces_end = false;
    vocab = 128112, pad = 1, start = 2, end = 2;
    encoder.layer_drop = decoder.layer_drop = 0.05, attention_drop = 0.1;
    activation = Activation::relu, scale_embedding = true;
  }
  static const ConfigTable<M2m100Config>& table() {
    static const ConfigTable<M2m100Config> keys = [] {
      ConfigTable<M2m100Config> rows = marian_kin_rows<M2m100Config>();
      rows.push_back(ConfigKey<M2m100Config>::rule([](const Fields& f, M2m100Config& c) {
        if (c.width < 4)
          f.wrong(place_of(f, "d_model"), "d_model", "4 or more: its positions are two waves");
      }));
      return rows;
    }();
    return keys;
  }
};

}  // namespace

Family bart_family() {
  return seq2seq_family<MarianOf<BartConfig>>(
      marian_kin_record("bart", "BartForConditionalGeneration"));
}

Family mbart_family() {
  return seq2seq_family<MarianOf<MbartConfig>>(
      marian_kin_record("mbart", "MBartForConditionalGeneration"));
}

Family m2m_100_family() {
  return seq2seq_family<MarianOf<M2m100Config>>(
      marian_kin_record("m2m_100", "M2M100ForConditionalGeneration"));
}

}  // namespace jogak
