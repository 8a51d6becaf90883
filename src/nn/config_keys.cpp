#include "nn/config_keys.h"

#include <algorithm>
#include <cctype>

namespace jogak {

const Json& place_of(const Fields& fields, std::string_view key) {
  return fields.has(key) ? fields.at(key) : fields.json();
}

Activation read_activation(const Fields& fields, const char* key, Activation otherwise) {
  if (!fields.has(key)) return otherwise;
  const std::string& found = fields.text(key);
  std::string wanted;
  for (const ActivationNames& known : kActivations) {
    for (const char* name : known.config)
      if (name && found == name) return known.kind;
    if (known.config[0]) wanted += (wanted.empty() ? "" : ", ") + std::string(known.config[0]);
  }
  fields.wrong(fields.at(key), key, wanted + " or another name for one of them");
}

const char* activation_name(Activation kind) { return names_of(kind).config[0]; }

const char* activation_title(Activation kind, bool gated) {
  const ActivationNames& names = names_of(kind);
  return gated ? names.gated_title : names.title;
}

double read_rate(const Fields& fields, const char* key, double otherwise) {
  const double value = fields.number_or(key, otherwise);
  if (value < 0 || value >= 1)
    fields.wrong(fields.at(key), key, "a number from 0 up to, but not, 1");
  return value;
}

double read_epsilon(const Fields& fields, const char* key, double otherwise) {
  const double value = fields.number_or(key, otherwise);
  if (!(value > 0 && value < 1)) fields.wrong(fields.at(key), key, "a small positive number");
  return value;
}

// "modeling_own.OwnModel" stands in modeling_own.py.
static std::string file_of_class(const std::string& name) {
  return name.substr(0, name.rfind('.')) + ".py";
}

std::string remote_code_asked_for(const Fields& fields) {
  if (!fields.has("auto_map") || !fields.at("auto_map").is_object()) return {};
  for (const auto& [key, value] : fields.at("auto_map").members()) {
    const Json& first = value.is_array() && !value.items().empty() ? value.items()[0] : value;
    if (first.is_string())
      return text_of("; \"auto_map\" asks for ", file_of_class(first.text()),
                     ", remote code is not run");
  }
  return {};
}

void refuse_remote_code(const Fields& fields, std::string_view type) {
  if (!fields.has("auto_map")) return;
  const Fields map = fields.object("auto_map");
  for (const auto& [key, value] : map.json().members()) {
    const std::vector<Json> one = {value};
    for (const Json& name : value.is_array() ? value.items() : one) {
      if (name.is_null()) continue;
      if (!name.is_string()) map.wrong(name, key, "the name of a class");
      std::string own = name.text().substr(name.text().rfind('.') + 1);
      std::transform(own.begin(), own.end(), own.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (!own.starts_with(type))
        map.wrong(name, key,
                  text_of("a class of ", type, ", not of ", file_of_class(name.text()),
                          ": remote code is not run"));
    }
  }
}

// "LlamaForCausalLM" -> "ForCausalLM"; what says no head in this way has none but the usual one.
static std::string_view head_of(std::string_view name) {
  for (const std::string_view odd : {"DoubleHeadsModel", "EncoderModel"})
    if (name.ends_with(odd)) return odd;
  const size_t at = name.rfind("For");
  return at == std::string_view::npos ? "" : name.substr(at);
}

void refuse_other_heads(const Fields& fields, std::string_view known) {
  constexpr const char* kKey = "architectures";
  if (!fields.has(kKey) || fields.list(kKey).empty()) return;
  const Json& first = fields.list(kKey)[0];
  if (!first.is_string()) fields.wrong(first, kKey, "the name of a class");
  const bool decoder = known.ends_with("ForCausalLM") || known.ends_with("LMHeadModel");
  const std::string_view usual = decoder ? "ForCausalLM" : "ForConditionalGeneration";
  const std::string_view head = head_of(first.text());
  if (!head.empty() && head != usual)
    fields.wrong(first, kKey,
                 text_of(known,
                         ": models of this family are read with the head that writes text; "
                         "labels, spans and vectors come from encoders, as BERT and its kin"));
}

void refuse_quantized(const Fields& fields) {
  constexpr const char* kKey = "quantization_config";
  if (!fields.has(kKey)) return;
  const Json& about = fields.at(kKey);
  const Json* const method = about.is_object() ? about.find("quant_method") : nullptr;
  if (!method || !(*method == Json("compressed-tensors")))
    fields.wrong(method ? *method : about, kKey, "weights of compressed-tensors");
}

int value_bits(const Json& config) {
  const auto inside = [](const Json* of, const char* key) {
    return of && of->is_object() ? of->find(key) : nullptr;
  };
  const Json* const groups = inside(inside(&config, "quantization_config"), "config_groups");
  if (!groups || !groups->is_object()) return 16;
  const auto asks = [&](const Json::Member& group) {
    const Json* const values = inside(&group.second, "input_activations");
    const auto is = [&](const char* key, const Json& wanted) {
      const Json* const found = inside(values, key);
      return found && *found == wanted;
    };
    return is("num_bits", 8) && is("type", "int") && is("strategy", "group") && is("dynamic", true);
  };
  const auto& members = groups->members();
  return std::any_of(members.begin(), members.end(), asks) ? 8 : 16;
}

}  // namespace jogak
