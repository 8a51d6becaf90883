#include "app/models/adapter.h"

#include <algorithm>
#include <set>

#include "base/file.h"

namespace jogak {
namespace {

constexpr char kPrefix[] = "base_model.model.";  // of PEFT's names

std::vector<std::string> names_in(const Fields& fields, const char* key) {
  std::vector<std::string> out;
  const Json* const list = fields.json().find(key);
  if (!list || list->is_null()) return out;
  if (!list->is_array()) fields.wrong(*list, key, "a list of names of layers");
  for (const Json& one : list->items()) {
    if (!one.is_string()) fields.wrong(one, key, "a list of names of layers");
    out.push_back(one.text());
  }
  return out;
}

bool says_nothing(const Json& value) {
  return value.is_null() || (value.is_bool() && !value.boolean()) ||
         (value.is_object() && value.members().empty()) ||
         (value.is_array() && value.items().empty());
}

// Keys that are read, that say how the factors were started or trained, or where something is.
// Any other that says something changes the numbers in a way we do not compute.
constexpr const char* kUnderstood[] = {
    "peft_type",
    "task_type",
    "peft_version",
    "auto_mapping",
    "revision",
    "r",
    "lora_alpha",
    "base_model_name_or_path",
    "use_rslora",
    "lora_dropout",
    "target_modules",
    "modules_to_save",
    "bias",
    "loftq_config",
    "fan_in_fan_out",
    "inference_mode",
    "eva_config",
    "corda_config",
    "layers_pattern",
    "init_lora_weights",
    "megatron_core",
    "lora_ga_config",
    "qalora_group_size",
    "runtime_config",
};

void refuse_what_we_do_not_do(const Fields& fields) {
  for (const auto& [key, value] : fields.json().members())
    if (std::find(std::begin(kUnderstood), std::end(kUnderstood), key) == std::end(kUnderstood) &&
        !says_nothing(value))
      fields.wrong(value, key, "nothing: such adapters are not supported");
  if (const Json* bias = fields.json().find("bias"); bias && !bias->is_null())
    if (!bias->is_string() || bias->text() != "none") fields.wrong(*bias, "bias", "\"none\"");
  if (const Json* start = fields.json().find("init_lora_weights"); start && start->is_string())
    if (const std::string& name = start->text();
        name != "gaussian" && name != "eva" && name != "orthogonal")
      fields.wrong(*start, "init_lora_weights",
                   "true, false, gaussian, eva or orthogonal: others change the model, too");
}

// As PEFT does: a path from here. A path from the adapters' own directory is found, too.
std::string base_directory(const std::string& directory, const std::string& named) {
  for (const std::string& place : {named, join_path(directory, named)})
    if (is_directory(place)) return place;
  fail<MissingError>(join_path(directory, kAdapterConfig), ": base_model_name_or_path is ", named,
                     ", but no such model directory is there, nor under ", directory);
}

bool is_kept(const ParamStore& store, const Param& p) {
  return store.is_adapter(p) || (store.lora().rank > 0 && !p.frozen && p.trained);
}

// PEFT's name for what a model does; adapters of a bare encoder have none.
Json peft_task(const Model& model) {
  if (model.causal.forward) return "CAUSAL_LM";
  if (model.translates()) return "SEQ_2_SEQ_LM";
  if (model.store->lora().whole.empty()) return {};
  if (model.encoder.task == EncoderTask::answer) return "QUESTION_ANS";
  return model.encoder.task == EncoderTask::tag ? "TOKEN_CLS" : "SEQ_CLS";
}

}  // namespace

const Family& adapted_family(const std::string& model_type) {
  std::vector<std::string> known;
  for (const Family& family : families()) {
    if (family.lora_targets.empty()) continue;
    if (model_type == family.model_type) return family;
    known.emplace_back(family.model_type);
  }
  std::string list;
  for (size_t i = 0; i < known.size(); ++i)
    list += (i == 0 ? "" : i + 1 < known.size() ? ", " : " and ") + known[i];
  fail<UsageError>("a ", model_type, " model has no adapters here; ", list, " models do");
}

// One error lists everything that does not fit.
void load_adapter(Model& model, const std::string& directory) {
  const std::string path = join_path(directory, kAdapterFile);
  const SafetensorsFile file(path);
  ParamStore& store = *model.store;
  std::set<std::string> unused;
  for (const std::string& name : file.names()) unused.insert(name);
  std::string wrong;
  store.assign([&](const Param& p) -> Tensor {
    if (!is_kept(store, p)) return {};
    const std::string name = kPrefix + store.file_name(p.name);
    if (unused.erase(name) == 0) {
      wrong += "; " + name + ": missing, the model wants " + text_of(p.value.shape());
      return {};
    }
    if (!(file.info(name).shape == p.value.shape())) {
      wrong += text_of("; ", name, ": the file has ", file.info(name).shape, ", the model wants ",
                       p.value.shape());
      return {};
    }
    return ParamStore::from_file_layout(p, cast(file.read(name), p.value.dtype()));
  });
  for (const std::string& name : unused) wrong += "; " + name + ": not used by the model";
  ensure<FormatError>(wrong.empty(), path, ": adapters that do not fit: ",
                      wrong.substr(std::min<size_t>(2, wrong.size())));
}

bool is_adapter_directory(const std::string& directory) {
  return file_exists(join_path(directory, kAdapterConfig)) &&
         !file_exists(join_path(directory, "config.json"));
}

AdapterConfig read_adapter_config(const std::string& directory) {
  const std::string path = join_path(directory, kAdapterConfig);
  const Json json = read_json_file(path);
  const Fields fields(json, path);
  if (fields.text("peft_type") != "LORA")
    fields.wrong(fields.at("peft_type"), "peft_type", "\"LORA\"");
  refuse_what_we_do_not_do(fields);
  AdapterConfig out;
  out.lora.rank = fields.integer("r", {1, 65536});
  out.lora.alpha = fields.number("lora_alpha");
  if (const Json* root = json.find("use_rslora"))
    out.lora.root = root->is_bool() && root->boolean();
  out.lora.targets = names_in(fields, "target_modules");
  out.lora.whole = names_in(fields, "modules_to_save");
  ensure<FormatError>(!out.lora.targets.empty(), path, ": target_modules is empty");
  out.base = base_directory(directory, fields.text("base_model_name_or_path"));
  return out;
}

void save_adapter(const Model& model, const std::string& directory) {
  const ParamStore& store = *model.store;
  const LoraConfig& lora = store.lora();
  const auto list = [](const std::vector<std::string>& names) {
    Json out = Json::array({});
    for (const std::string& name : names) out.push(name);
    return out;
  };
  const Family& family = adapted_family(model.model_type);
  Json config = Json::object();
  config.set("peft_type", "LORA").set("base_model_name_or_path", model.base);
  config.set("task_type", peft_task(model));
  config.set("r", lora.rank).set("lora_alpha", lora.alpha).set("use_rslora", lora.root);
  config.set("lora_dropout", 0.0).set("bias", "none").set("inference_mode", true);
  config.set("fan_in_fan_out", !family.names.transposed.empty());
  config.set("target_modules", list(lora.targets));
  config.set("modules_to_save", lora.whole.empty() ? Json() : list(lora.whole));
  NamedTensors tensors;
  for (const Param& p : store.all())
    if (is_kept(store, p))
      for (auto& [name, value] : store.in_file_layout(p, p.value.detach()))
        tensors.emplace_back(kPrefix + name, value);
  make_directories(directory);
  save_safetensors(join_path(directory, kAdapterFile), tensors, {{"format", "pt"}});
  write_file(join_path(directory, kAdapterConfig), config.dump(2) + "\n");
}

}  // namespace jogak
