// DeBERTa v2 and v3 as Hugging Face's directories have them: names, config.json.
#include <algorithm>

#include "models/encoders/bert_keys.h"
#include "models/encoders/deberta_v2.h"

namespace jogak {
namespace {

const ConfigWords<BertHead>& deberta_classes() {
  static const ConfigWords<BertHead> classes = {
      {BertHead::none, "DebertaV2Model"},
      {BertHead::masked, "DebertaV2ForMaskedLM"},
      {BertHead::sequence, "DebertaV2ForSequenceClassification"},
      {BertHead::tokens, "DebertaV2ForTokenClassification"},
      {BertHead::spans, "DebertaV2ForQuestionAnswering"}};
  return classes;
}

// "p2c|c2p", or ["p2c", "c2p"], or null.
void read_kinds_of_scores(const Fields& f, DebertaV2Config& c) {
  constexpr const char *kKey = "pos_att_type", *kWanted = "c2p, p2c, or both";
  if (!f.has(kKey)) return;
  std::vector<std::string> words;
  if (f.at(kKey).is_array()) {
    for (const Json& word : f.list(kKey)) {
      if (!word.is_string()) f.wrong(word, kKey, kWanted);
      words.push_back(word.text());
    }
  } else {
    const std::string& all = f.text(kKey);
    for (size_t from = 0; from <= all.size();) {
      const size_t bar = std::min(all.find('|', from), all.size());
      words.push_back(all.substr(from, bar - from));
      from = bar + 1;
    }
  }
  for (const std::string& word : words) {
    if (word != "c2p" && word != "p2c") f.wrong(f.at(kKey), kKey, kWanted);
    (word == "c2p" ? c.c2p : c.p2c) = true;
  }
}

void write_kinds_of_scores(const DebertaV2Config& c, Json& json) {
  std::vector<Json> words;
  if (c.p2c) words.emplace_back("p2c");
  if (c.c2p) words.emplace_back("c2p");
  json.set("pos_att_type", words.empty() ? Json() : Json::array(std::move(words)));
}

bool has_convolution(const DebertaV2Config& c) { return c.conv_kernel > 0; }

// What is not computed here.
void check_deberta(const Fields& f, DebertaV2Config& c) {
  const auto refuse = [&](const char* key, const std::string& wanted) {
    f.wrong(f.at(key), key, wanted);
  };
  if (c.conv_kernel > 0 && c.conv_kernel % 2 == 0)
    refuse("conv_kernel_size", "0 or an odd number: others leave a token out");
  if (c.width % c.conv_groups != 0)
    refuse("conv_groups", text_of("a divisor of hidden_size ", c.width));
  if (!c.legacy && c.table_width() != c.width)
    refuse("embedding_size", text_of("hidden_size ", c.width, " where \"legacy\" is false"));
  for (const char* key : {"attention_head_size", "pooler_hidden_size"}) {
    const int64_t usual = std::string(key) == "pooler_hidden_size" ? c.width : c.width / c.heads;
    if (f.integer_or(key, usual, kSize) != usual) refuse(key, text_of(usual));
  }
  if (c.relative && !c.c2p && !c.p2c)
    f.wrong(place_of(f, "pos_att_type"), "pos_att_type",
            "c2p, p2c, or both, where there is relative_attention");
  if (c.relative && c.buckets > 0 && (c.buckets < 4 || c.places().farthest - 1 <= c.buckets / 2))
    f.wrong(f.at("position_buckets"), "position_buckets",
            "at least 4, and less than twice the distances");
}

// DeBERTa's own head for masked words: other names, and always the table's matrix.
void name_own_head(const Fields&, DebertaV2Config& c) {
  if (c.legacy) return;
  c.style.transform = "lm_predictions.lm_head.dense";
  c.style.transform_norm = "lm_predictions.lm_head.LayerNorm";
  c.style.bias = "lm_predictions.lm_head", c.style.decoder = "lm_predictions.lm_head.decoder";
  c.tied = true;
}

// Where the configuration says layer_norm.
ConfigKey<DebertaV2Config> norm_row() {
  constexpr const char* kKey = "norm_rel_ebd";
  using C = DebertaV2Config;
  return ConfigKey<C>::value(
      kKey, &C::norm_distances,
      [](const Fields& f, const char* key, bool) {
        const std::string found = f.text_or(key, "none");
        if (found != "none" && found != "layer_norm")
          f.wrong(f.at(key), key, "\"none\" or \"layer_norm\"");
        return found == "layer_norm";
      },
      [](bool norms) { return Json(norms ? "layer_norm" : "none"); });
}

std::vector<Json::Member> deberta_size(int layers, int heads, int width, int context) {
  auto out = text_size(layers, heads, width, context);
  out.insert(out.end(), {{"relative_attention", true},
                         {"position_buckets", context / 2},
                         {"norm_rel_ebd", "layer_norm"},
                         {"share_att_key", true},
                         {"pos_att_type", "p2c|c2p"},
                         {"position_biased_input", false}});
  return out;
}

}  // namespace

DebertaV2Config::DebertaV2Config() {
  vocab = 128100, width = 1536, layers = 24, heads = 24, inner = 6144, types = 0, eps = 1e-7;
  first_drop = 0;
  style.name = "deberta-v2", style.title = "DeBERTa";
  style.label_dense = "pooler.dense", style.label_activation = Activation::gelu;
  style.drop_first = true, style.pools = false;
}

const ConfigTable<DebertaV2Config>& DebertaV2Config::table() {
  using C = DebertaV2Config;
  using K = ConfigKey<C>;
  constexpr Fields::Range kOrNone{-1, 1 << 20};
  static const ConfigTable<C> keys = joined_rows<C>(
      {{encoder_only_rule<C>(), K::head(&C::head, deberta_classes()),
        K::size("vocab_size", &C::vocab), K::size("max_position_embeddings", &C::context),
        K::size("type_vocab_size", &C::types, {0, 1 << 20})},
       bert_layer_rows<C>(),
       {K::size("embedding_size", &C::embedding).otherwise([](C& c) { c.embedding = c.width; }),
        classifier_drop_row<C>("cls_dropout"), K::rule([](const Fields&, C& c) {  // of a text alone
          if (c.head == BertHead::tokens) c.classifier_drop = c.dropout;
        })},
       bert_number_rows<C>(),
       {bert_pad_row<C>(0), K::flag("relative_attention", &C::relative),
        K::size("max_relative_positions", &C::max_distance, kOrNone),
        K::size("position_buckets", &C::buckets, kOrNone),
        K::flag("position_biased_input", &C::places_in_input), K::flag("share_att_key", &C::shared),
        K::together({"pos_att_type"}, read_kinds_of_scores, write_kinds_of_scores), norm_row(),
        K::rate(
            "pooler_dropout", [](auto& c) -> auto& { return *c.first_drop; }),
        K::activation(
            "pooler_hidden_act", [](auto& c) -> auto& { return c.style.label_activation; })},
       {K::flag("legacy", &C::legacy).written_if([](const C& c) { return !c.legacy; }),
        K::rule(name_own_head),
        K::size("conv_kernel_size", &C::conv_kernel, {0, 1 << 16}).written_if(has_convolution),
        K::size("conv_groups", &C::conv_groups).only_if(has_convolution),
        K::activation("conv_act", &C::conv_activation).only_if(has_convolution)},
       bert_head_rows<C>(),
       {K::rule(check_deberta)}});
  return keys;
}

ModelOutline DebertaV2Config::outline() const {
  ModelOutline out = BertConfig::outline();
  out.positions = relative ? "relative" : "learned";
  return out;
}

Family deberta_v2_family() {
  return encoder_family<DebertaV2>(
      {.name = "deberta-v2",
       .model_type = "deberta-v2",
       .architecture = "DebertaV2ForMaskedLM",
       .names = {.prefix = "deberta.",
                 .outside = {"cls.*", "classifier.*", "pooler.*", "qa_outputs.*",
                             "lm_predictions.*", "mask_predictions.*"},
                 // Heads that taught it, and a tied one that may stand in a file a second time; a
                 // norm of distances where none are looked at.
                 .ignored = {"embeddings.position_ids", "embeddings.position_embeddings.weight",
                             "encoder.LayerNorm.*", "cls.predictions.decoder.*", "lm_predictions.*",
                             "mask_predictions.*"}},
       .presets = {{"tiny", deberta_size(2, 2, 64, 128)},
                   {"small", deberta_size(4, 4, 128, 256)},
                   {"base", deberta_size(12, 12, 768, 512)}},
       .lora_targets = {"query_proj", "value_proj"},
       .heads = {{EncoderTask::fill, "DebertaV2ForMaskedLM"},
                 {EncoderTask::classify,
                  "DebertaV2ForSequenceClassification",
                  {"classifier", "pooler.dense"}},
                 {EncoderTask::tag, "DebertaV2ForTokenClassification", {"classifier"}},
                 {EncoderTask::answer, "DebertaV2ForQuestionAnswering", {"qa_outputs"}}},
       .head_weights = {"classifier.*", "pooler.*", "cls.*", "qa_outputs.*", "lm_predictions.*"}});
}

}  // namespace jogak
