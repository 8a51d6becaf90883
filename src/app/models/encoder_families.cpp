#include "app/models/encoder_families.h"

#include "models/bert.h"
#include "models/patchtst.h"
#include "models/vit.h"

namespace jogak {
namespace {

template <class Net, class Config>
Model encoder_model(const Json& config, const Config& c, ParamStore store) {
  Model model;
  model.model_type = config.find("model_type")->text();
  model.config = config;
  model.store = std::make_unique<ParamStore>(std::move(store));
  const auto net = std::make_shared<const Net>(Params(*model.store), c);
  model.store->finish();
  model.encoder = encoder_of(net);
  model.layers = c.layers, model.width = c.width;
  model.vocab = model.encoder.vocab, model.context = model.encoder.context;
  return model;
}

// A configuration with what it is for; one that does not say is for the first task of its family.
Json with_architecture(const Json& config, const char* otherwise) {
  Json full = config;
  if (!full.find("architectures")) full.set("architectures", Json::array({otherwise}));
  return full;
}

Json complete_bert(const Json& config, const std::string& file) {
  return write_bert_config(read_bert_config(with_architecture(config, "BertForMaskedLM"), file));
}

Json complete_vit(const Json& config, const std::string& file) {
  return write_vit_config(
      read_vit_config(with_architecture(config, "ViTForImageClassification"), file));
}

Json complete_patchtst(const Json& config, const std::string& file) {
  return write_patchtst_config(read_patchtst_config(config, file));
}

Model build_bert(const Json& config, const std::string& file, ParamStore store) {
  return encoder_model<Bert>(config, read_bert_config(config, file), std::move(store));
}

Model build_vit(const Json& config, const std::string& file, ParamStore store) {
  return encoder_model<Vit>(config, read_vit_config(config, file), std::move(store));
}

Model build_patchtst(const Json& config, const std::string& file, ParamStore store) {
  return encoder_model<PatchTst>(config, read_patchtst_config(config, file), std::move(store));
}

std::vector<Json::Member> encoder_size(int layers, int heads, int width) {
  return {{"num_hidden_layers", layers},
          {"num_attention_heads", heads},
          {"hidden_size", width},
          {"intermediate_size", 4 * width}};
}

std::vector<Json::Member> bert_size(int layers, int heads, int width, int context) {
  auto out = encoder_size(layers, heads, width);
  out.emplace_back("max_position_embeddings", context);
  return out;
}

// For grey images of 28 x 28.
std::vector<Json::Member> vit_size(int layers, int heads, int width, int patch) {
  auto out = encoder_size(layers, heads, width);
  out.insert(out.end(), {{"image_size", 28}, {"patch_size", patch}, {"num_channels", 1}});
  return out;
}

// As published: BatchNorm after each sub-layer, learned positions, patches at the end, all of them
// to the head. small and base are its sizes for few and for many measurements.
std::vector<Json::Member> patchtst_size(int context, int heads, int width, int inner, double drop) {
  return {{"context_length", context},
          {"prediction_length", 96},
          {"patch_length", 16},
          {"patch_stride", 8},
          {"padding_patch", "end"},
          {"num_hidden_layers", 3},
          {"num_attention_heads", heads},
          {"d_model", width},
          {"ffn_dim", inner},
          {"positional_dropout", drop},
          {"path_dropout", drop},
          {"ff_dropout", drop},
          {"pre_norm", false},
          {"positional_encoding_type", "random"},
          {"pooling_type", Json()}};
}

}  // namespace

std::vector<Family> encoder_families() {
  return {
      {.name = "bert",
       .model_type = "bert",
       .presets = {{"tiny", bert_size(2, 2, 64, 128)},
                   {"small", bert_size(4, 4, 128, 256)},
                   {"base", bert_size(12, 12, 768, 512)}},
       .complete = complete_bert,
       .build = build_bert,
       .names = &kBertNames,
       .more_keys = {"num_labels", "id2label", "label2id", "problem_type"}},
      {.name = "vit",
       .model_type = "vit",
       .presets = {{"tiny", vit_size(2, 2, 64, 7)},
                   {"small", vit_size(4, 4, 128, 4)},
                   {"base", encoder_size(12, 12, 768)}},
       .complete = complete_vit,
       .build = build_vit,
       .names = &kVitNames,
       .more_keys = {"num_labels", "problem_type"}},
      {.name = "patchtst",
       .model_type = "patchtst",
       .presets = {{"tiny", patchtst_size(96, 2, 16, 32, 0.1)},
                   {"small", patchtst_size(336, 4, 16, 128, 0.3)},
                   {"base", patchtst_size(336, 16, 128, 256, 0.2)}},
       .complete = complete_patchtst,
       .build = build_patchtst,
       .names = &kPatchTstNames,
       .more_keys = {"padding_patch", "minimum_scale", "default_scale"}},
  };
}

}  // namespace jogak
