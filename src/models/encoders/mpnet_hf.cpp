// MPNet as Hugging Face's directories have it: names, config.json.
#include "models/encoders/bert_keys.h"
#include "models/encoders/mpnet.h"

namespace jogak {
namespace {

const ConfigWords<BertHead>& mpnet_classes() {
  static const ConfigWords<BertHead> classes = {
      {BertHead::none, "MPNetModel"},
      {BertHead::masked, "MPNetForMaskedLM"},
      {BertHead::sequence, "MPNetForSequenceClassification"},
      {BertHead::tokens, "MPNetForTokenClassification"},
      {BertHead::spans, "MPNetForQuestionAnswering"}};
  return classes;
}

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
  style = {.name = "mpnet",
           .title = "MPNet",
           .attention = "attention.attn",
           .query = "q",
           .key = "k",
           .value = "v",
           .attention_out = "attention.attn.o",
           .attention_norm = "attention.LayerNorm",
           .transform = "lm_head.dense",
           .transform_norm = "lm_head.layer_norm",
           .decoder = "lm_head.decoder",
           .bias = "lm_head",
           .transform_activation = Activation::gelu,
           .label_dense = "classifier.dense",
           .drop_first = true,
           .labels = "classifier.out_proj",
           .places_after_pad = true};
}

const ConfigTable<MpnetConfig>& MpnetConfig::table() {
  using C = MpnetConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys =
      joined_rows<C>({{encoder_only_rule<C>(), K::head(&C::head, mpnet_classes()),
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
  return encoder_family<Mpnet>(
      {.name = "mpnet",
       .model_type = "mpnet",
       .architecture = "MPNetForMaskedLM",
       .names = {.prefix = "mpnet.",
                 .outside = {"lm_head.*", "classifier.*", "qa_outputs.*"},
                 // A tied head may stand in a file a second time.
                 .ignored = {"embeddings.position_ids", "lm_head.decoder.*"}},
       .presets = {{"tiny", bert_size(2, 2, 64, 130)},
                   {"small", bert_size(4, 4, 128, 258)},
                   {"base", bert_size(12, 12, 768, 514)}},
       .lora_targets = {"q", "v"},
       .heads = {{EncoderTask::fill, "MPNetForMaskedLM"},
                 {EncoderTask::classify, "MPNetForSequenceClassification", {"classifier"}},
                 {EncoderTask::tag, "MPNetForTokenClassification", {"classifier"}},
                 {EncoderTask::answer, "MPNetForQuestionAnswering", {"qa_outputs"}}},
       .head_weights = {"classifier.*", "pooler.*", "lm_head.*", "qa_outputs.*"}});
}

}  // namespace jogak
