// MPNet as Hugging Face's directories have it: names, config.json.
#include "models/encoders/mpnet.h"
#include "models/encoders/roberta_keys.h"

namespace jogak {
namespace {

constexpr RobertaClasses kMpnet = {"MPNetModel", "MPNetForMaskedLM",
                                   "MPNetForSequenceClassification", "MPNetForTokenClassification",
                                   "MPNetForQuestionAnswering"};

constexpr const char *kPad = "pad_token_id", *kBuckets = "relative_attention_num_buckets";

// Whatever the key says, transformers takes token 1 for padding.
void read_mpnet_pad(const Fields& f, MpnetConfig& c) {
  const bool none = f.json().find(kPad) != nullptr && !f.has(kPad);
  c.named_pad = none ? -1 : f.integer_or(kPad, 1, {0, c.vocab - 1});
  if (c.vocab < 2)
    f.wrong(place_of(f, "vocab_size"), "vocab_size", "2 or more: token 1 is padding");
}

// As T5's: near distances one by one, far ones together.
void check_buckets(const Fields& f, MpnetConfig& c) {
  if (f.integer_or(kBuckets, c.buckets, kSize) != c.buckets)
    f.wrong(f.at(kBuckets), kBuckets, text_of(c.buckets, ": transformers takes no other"));
}

}  // namespace

MpnetConfig::MpnetConfig() {
  vocab = 30527, types = 0, pad = 1, buckets = 32;
  style = roberta_style("mpnet", "MPNet");
  style.attention = "attention.attn";
  style.query = "q", style.key = "k", style.value = "v";
  style.attention_out = "attention.attn.o", style.attention_norm = "attention.LayerNorm";
}

const ConfigTable<MpnetConfig>& MpnetConfig::table() {
  using C = MpnetConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys =
      joined_rows<C>({{encoder_only_rule<C>(), K::head(&C::head, head_words(kMpnet)),
                       K::size("vocab_size", &C::vocab),
                       K::size("max_position_embeddings", &C::context, {3, 1 << 24})},
                      bert_layer_rows<C>(),
                      bert_number_rows<C>(),
                      {K::together({kBuckets}, check_buckets,
                                   [](const C& c, Json& json) { json.set(kBuckets, c.buckets); }),
                       K::together({kPad}, read_mpnet_pad,
                                   [](const C& c, Json& json) {
                                     json.set(kPad, c.named_pad < 0 ? Json() : Json(c.named_pad));
                                   })},
                      bert_head_rows<C>()});
  return keys;
}

Family mpnet_family() {
  Family record = roberta_record("mpnet", "mpnet.", kMpnet);
  record.lora_targets = {"q", "v"};
  return encoder_family<Mpnet>(std::move(record));
}

}  // namespace jogak
