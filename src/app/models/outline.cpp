#include "app/models/outline.h"

#include "app/models/adapter.h"
#include "app/models/model.h"
#include "base/file.h"
#include "models/bert.h"
#include "models/falcon.h"
#include "models/gpt2.h"
#include "models/llama.h"
#include "models/marian.h"
#include "models/patchtst.h"
#include "models/vit.h"

namespace jogak {
namespace {

using Wiring = ModelOutline::Wiring;
using Block = ModelOutline::Block;

const char* activation_title(Activation activation, bool gated = false) {
  switch (activation) {
    case Activation::relu: return gated ? "ReGLU" : "ReLU";
    case Activation::gelu:
    case Activation::gelu_tanh: return gated ? "GeGLU" : "GELU";
    case Activation::silu: return gated ? "SwiGLU" : "SiLU";
    case Activation::tanh: return "tanh";
    default: return "-";
  }
}

ModelOutline outline_of(const MarianConfig& c) {
  ModelOutline out;
  out.encoder = {c.encoder.layers, c.encoder.heads, c.encoder.heads, c.encoder.inner};
  out.decoder = {c.decoder.layers, c.decoder.heads, c.decoder.heads, c.decoder.inner};
  out.width = c.width;
  out.head_width = c.width / c.decoder.heads;
  out.vocab = out.outputs = c.decoder_vocab;
  out.context = c.context;
  out.activation = activation_title(c.activation);
  return out;
}

ModelOutline outline_of(const Gpt2Config& c) {
  ModelOutline out;
  out.wiring = Wiring::decoder;
  out.block = Block::pre;
  out.decoder = {c.layers, c.heads, c.heads, c.inner_width()};
  out.width = c.width;
  out.head_width = c.width / c.heads;
  out.vocab = out.outputs = c.vocab;
  out.context = c.context;
  out.positions = "learned";
  out.activation = activation_title(c.activation);
  out.final_norm = true;
  return out;
}

ModelOutline outline_of(const LlamaConfig& c) {
  ModelOutline out;
  out.wiring = Wiring::decoder;
  out.block = Block::pre;
  out.decoder = {c.layers, c.heads, c.kv_heads, c.inner};
  out.width = c.width;
  out.head_width = c.head;
  out.vocab = out.outputs = c.vocab;
  out.context = c.context;
  out.positions = "rotary";
  out.norm = "RMSNorm";
  out.activation = activation_title(c.activation, true);
  out.gated = out.final_norm = true;
  return out;
}

ModelOutline outline_of(const FalconConfig& c) {
  ModelOutline out;
  out.wiring = Wiring::decoder;
  out.block = c.block == FalconConfig::Block::sequential ? Block::pre : Block::parallel;
  out.decoder = {c.layers, c.heads, c.kv_heads, c.inner_width()};
  out.width = c.width;
  out.head_width = c.width / c.heads;
  out.vocab = out.outputs = c.vocab;
  out.context = c.context;
  out.positions = c.alibi ? "alibi" : "rotary";
  out.activation = activation_title(c.activation);
  out.final_norm = true;
  return out;
}

ModelOutline outline_of(const BertConfig& c) {
  ModelOutline out;
  out.wiring = Wiring::encoder;
  out.encoder = {c.layers, c.heads, c.heads, c.inner};
  out.width = c.width;
  out.head_width = c.width / c.heads;
  out.vocab = c.vocab;
  out.context = c.context;
  out.positions = "learned";
  out.activation = activation_title(c.activation);
  switch (c.head) {
    case BertHead::none: break;
    case BertHead::next_sentence: out.outputs = 2; break;
    case BertHead::sequence:
    case BertHead::tokens: out.outputs = c.labels.count(); break;
    default: out.outputs = c.vocab;
  }
  return out;
}

ModelOutline outline_of(const VitConfig& c) {
  ModelOutline out;
  out.wiring = Wiring::encoder;
  out.input = ModelOutline::Input::image;
  out.block = Block::pre;
  out.encoder = {c.layers, c.heads, c.heads, c.inner};
  out.width = c.width;
  out.head_width = c.width / c.heads;
  out.context = c.grid().height * c.grid().width + 1;
  out.outputs = c.head == VitHead::none ? 0 : c.labels.count();
  out.positions = "learned";
  out.activation = activation_title(c.activation);
  out.final_norm = true;
  return out;
}

ModelOutline outline_of(const PatchTstConfig& c) {
  ModelOutline out;
  out.wiring = Wiring::encoder;
  out.input = ModelOutline::Input::series;
  out.block = c.pre_norm ? Block::pre : Block::post;
  out.encoder = {c.layers, c.heads, c.heads, c.inner};
  out.width = c.width;
  out.head_width = c.head_width();
  out.context = c.patches() + (c.class_token ? 1 : 0);
  out.outputs = c.horizon;
  out.positions = c.positions == PatchTstConfig::Positions::learned ? "learned" : "sinusoidal";
  out.norm = c.norm == PatchTstConfig::Norm::batch ? "BatchNorm" : "LayerNorm";
  out.activation = activation_title(c.activation);
  return out;
}

ModelOutline outline_of(const std::string& type, const Json& config, const std::string& file) {
  if (type == "marian") return outline_of(read_marian_config(config, file));
  if (type == "gpt2") return outline_of(read_gpt2_config(config, file));
  if (type == "llama") return outline_of(read_llama_config(config, file));
  if (type == "falcon") return outline_of(read_falcon_config(config, file));
  if (type == "bert") return outline_of(read_bert_config(config, file));
  if (type == "vit") return outline_of(read_vit_config(config, file));
  if (type == "patchtst") return outline_of(read_patchtst_config(config, file));
  fail<FormatError>(file, ": found model_type ", type, ", which has no outline");
}

}  // namespace

ModelOutline model_outline(const std::string& directory) {
  ensure<MissingError>(is_directory(directory), directory, ": no such model directory");
  if (is_adapter_directory(directory)) return model_outline(open_model(directory).base);
  const std::string file = join_path(directory, "config.json");
  const Json config = read_json_file(file);
  const Family& family = family_of(config, file);
  ModelOutline out = outline_of(family.model_type, config, file);
  out.name = family.model_type;
  return out;
}

}  // namespace jogak
