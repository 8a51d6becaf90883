#include "app/tools/export_model.h"

#include <map>
#include <set>

#include "app/models/target.h"
#include "app/tools/lab_pytorch.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "models/lab/lab.h"
#include "ops/alibi.h"

namespace jogak {
namespace {

using Positions = LabConfig::Positions;

// What stands in a template, and which of its lines.
struct Filling {
  std::map<std::string, std::string> values;
  std::set<std::string> holds;

  bool keeps(const std::string& flags) const {
    for (const std::string& flag : parts(flags)) {
      const bool without = flag.starts_with('!');
      if (holds.contains(without ? flag.substr(1) : flag) == without) return false;
    }
    return true;
  }
  static std::vector<std::string> parts(const std::string& flags) {
    std::vector<std::string> out = {""};
    for (const char c : flags) c == ',' ? void(out.emplace_back()) : out.back().push_back(c);
    return out;
  }
  std::string filled(std::string line) const {
    for (const auto& [name, value] : values)
      for (size_t at; (at = line.find("@" + name + "@")) != std::string::npos;)
        line.replace(at, name.size() + 2, value);
    return line;
  }
};

std::string fill(std::string_view text, const Filling& with) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    std::string line(text.substr(at, end - at));
    at = end + 1;
    if (line.starts_with('?')) {
      const size_t bar = line.find('|');
      if (!with.keeps(line.substr(1, bar - 1))) continue;
      line.erase(0, bar + 1);
    }
    out += with.filled(line) + "\n";
  }
  return out;
}

std::string python_list(const std::vector<float>& values) {
  std::string out;
  for (const float value : values) out += (out.empty() ? "" : ", ") + Json(double{value}).dump();
  return "[" + out + "]";
}

const char* norm_call(LabConfig::Norm norm) {
  switch (norm) {
    case LabConfig::Norm::layer: return "nn.LayerNorm(D_MODEL, eps=EPS)";
    case LabConfig::Norm::rms: return "nn.RMSNorm(D_MODEL, eps=EPS)";
    case LabConfig::Norm::batch: return "TokenNorm(D_MODEL, eps=EPS)";
    case LabConfig::Norm::none: break;
  }
  return "nn.Identity()";
}

std::set<std::string> flags_of(const LabConfig& c) {
  const bool pair = c.reads() && c.writes();
  const Positions p = c.positions;
  const std::pair<const char*, bool> all[] = {
      {"pair", pair},
      {"reads", c.reads()},
      {"writes", c.writes()},
      {"normed", c.norm != LabConfig::Norm::none},
      {"batch", c.norm == LabConfig::Norm::batch},
      {"rope", p == Positions::rope},
      {"alibi", p == Positions::alibi},
      {"relative", p == Positions::relative},
      {"distances", p == Positions::alibi || p == Positions::relative},
      {"learned", p == Positions::learned},
      {"index", p == Positions::index},
      {"sinusoidal", p == Positions::sinusoidal},
      {"vectors", p == Positions::learned || p == Positions::index || p == Positions::sinusoidal},
      {"concatenate", c.concatenate},
      {"one", c.one_matrix},
      {"groups", c.heads != c.kv_heads},
      {"scaled", c.scaled},
      {"ffn", c.feed_forward != LabConfig::Bend::none},
      {"gated", c.feed_forward == LabConfig::Bend::swiglu},
      {"pre", c.norm_first},
      {"residual", c.residual},
      {"masked", c.masked},
      {"same", c.cross_same},
      {"shared", pair && c.share_embeddings},
      {"tied", c.tied},
      {"classifies", c.classifies},
      {"edrop", c.embedding_drop > 0},
      {"adrop", c.attention_drop > 0},
      {"rdrop", c.residual_drop > 0},
      {"idrop", c.inner_drop > 0},
      {"attends", c.mixer == LabConfig::Mixer::gru_attention},
  };
  std::set<std::string> out;
  for (const auto& [name, holds] : all)
    if (holds) out.insert(name);
  return out;
}

std::map<std::string, std::string> values_of(const LabConfig& c, const std::set<std::string>& is) {
  const auto number = [](double x) { return Json(x).dump(); };
  const bool shared = is.contains("shared"), rope = is.contains("rope");
  constexpr const char* kBends[] = {"relu", "gelu", "silu", "silu", ""};
  const std::string words = c.writes() ? "self.decoder.embed_tokens" : "self.encoder.embed_tokens";
  return {
      {"WIRING", is.contains("pair") ? "encoder-decoder"
                 : c.writes()        ? "decoder"
                                     : "encoder"},
      {"RESULT", c.classifies ? "[B, labels]" : "[B, T, VOCAB]"},
      {"SIZES", text_of(c.width, ", ", c.heads, ", ", c.kv_heads, ", ", c.key, ", ", c.value, ", ",
                        c.inner)},
      {"EPS", number(c.eps)},
      {"NORM", norm_call(c.norm)},
      {"QKV_BIAS", c.qkv_bias ? "True" : "False"},
      {"ROPE_ARGUMENT", rope ? ", turn=False" : ""},
      {"ROPE_CALL", rope ? ", turn=True" : ""},
      {"BEND", kBends[static_cast<size_t>(c.feed_forward)]},
      {"CONTEXT", text_of(c.context)},
      {"POSITION_WIDTH", is.contains("index") ? "1" : "D_MODEL"},
      {"SLOPES", python_list(alibi_slopes(c.heads))},
      {"EMBEDDING_SCALE", c.scale_embedding ? " * math.sqrt(D_MODEL)" : ""},
      {"VOCAB", text_of(c.vocab)},
      {"DECODER_VOCAB", text_of(c.writes() ? c.decoder_vocab : c.vocab)},
      {"ENCODER_LAYERS", text_of(c.encoder_layers)},
      {"DECODER_LAYERS", text_of(c.decoder_layers)},
      {"CROSSES", is.contains("pair") ? "True" : "False"},
      {"LABELS", text_of(c.labels.count())},
      {"SOURCE_WORDS", shared ? "self.shared" : "self.encoder.embed_tokens"},
      {"TARGET_WORDS", shared ? "self.shared" : words},
      {"EMBEDDING_DROPOUT", number(c.embedding_drop)},
      {"ATTENTION_DROPOUT", number(c.attention_drop)},
      {"RESIDUAL_DROPOUT", number(c.residual_drop)},
      {"FEED_FORWARD_DROPOUT", number(c.inner_drop)},
      {"GRU_SIZES", text_of(c.width, ", ", c.gru_width, ", ", c.encoder_layers)},
      {"TARGET_TABLE", c.share_embeddings
                           ? std::string("self.source")
                           : text_of("nn.Embedding(", c.decoder_vocab, ", D_MODEL)")},
      {"OUT_WIDTH", is.contains("attends") ? "2 * WIDTH" : "WIDTH"},
  };
}

}  // namespace

std::string pytorch_source(const std::string& directory, const std::string& module) {
  const std::string file = join_path(directory, "config.json");
  const Json config = read_json_file(file);
  const Json* const type = config.find("model_type");
  ensure<UsageError>(type && type->is_string() && type->text() == "jogak-lab", directory,
                     ": found a ", type && type->is_string() ? type->text() : "nameless",
                     " model, wanted a jogak-lab one; transformers opens the others as they are");
  const LabConfig c = read_config<LabConfig>(config, file);
  Filling with;
  with.holds = flags_of(c);
  with.values = values_of(c, with.holds);
  with.values["MODULE"] = module, with.values["DIRECTORY"] = directory;
  return fill(c.mixer == LabConfig::Mixer::attention ? kLabPyTorch : kGruPyTorch, with);
}

void export_model(const ExportCommand& c) {
  check_target_file({c.out, c.overwrite, {c.directory}});
  const std::string name = file_name(c.out);
  const bool python = name.ends_with(".py");
  ensure<UsageError>(python, c.out, ": wanted a file that ends in .py");
  write_file(c.out, pytorch_source(c.directory, name.substr(0, name.size() - 3)));
}

}  // namespace jogak
