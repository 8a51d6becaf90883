#include "app/models/model.h"

#include <algorithm>
#include <cmath>

#include "app/models/adapter.h"
#include "app/models/cache_type.h"
#include "app/models/device.h"
#include "app/models/divided.h"
#include "app/models/weight_progress.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mapped_place.h"
#include "base/suggest.h"
#include "nn/config_keys.h"
#include "nn/laying_out.h"
#include "nn/names.h"
#include "ops/grad_norm.h"
#include "tensor/counting_device.h"
#include "tensor/tiles.h"

namespace jogak {
namespace {

// What a family writes for itself may be set to what it is, and to nothing else.
void refuse_other_kind(const Json& config, const std::string& key, const Json& value,
                       const std::string& where, const std::string& who) {
  const Json* const is = config.find(key);
  for (const char* said : {"model_type", "architectures", "torch_dtype"})
    ensure<UsageError>(key != said || !is || value == *is, where, "'", key, "': found ",
                       value.dump(), ", and ", who, " has ", is ? is->dump() : "");
}

// Adapters become part of the weights they join: those need memory of their own, in f32.
void prepare(ParamStore& store, const ModelPlace& place) {
  if (place.lora.rank > 0) store.adapt(place.lora);
  if (place.lora.rank == 0 || place.use == WeightUse::mixed) store.open_for(place.use);
}

Device& device_of(ModelPlace place) { return place.device ? *place.device : model_device(); }

// A GPU computes in bf16 where weights are read in bf16; a CPU computes in f32 all the same.
ModelPlace settled(ModelPlace place) {
  if (place.use == WeightUse::bf16 && device_of(place).kind() == Device::Kind::cuda)
    place.dtype = DType::bf16, place.use = WeightUse::f32;
  return place;
}

bool all_bf16(const ModelFiles& files) {
  const std::vector<std::string> names = files.names();
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return files.info(name).type->dtype == DType::bf16;
  });
}

// All numbers of a weight, in any order; undefined for small integers, which are finite.
Tensor floats_of(const Tensor& value) {
  if (is_float(value.dtype())) return value;
  const bool tiles = value.dtype() == DType::packed && holds_floats(value.raw());
  return tiles ? tile_values(value) : Tensor();
}

void refuse_nonfinite(const ParamStore& store, const ModelFiles& files) {
  std::vector<Tensor> values;
  std::vector<std::string> names;
  for (const Param& p : store.all()) {
    const Tensor floats = floats_of(p.value);
    if (!floats.defined()) continue;
    values.push_back(floats);
    names.push_back(store.file_name(p.name));
  }
  const auto n = static_cast<int64_t>(values.size());
  const Tensor each = empty({n}, DType::f64, values[0].device());
  squared_norm(values, each, empty({}, DType::f64, values[0].device()));
  const std::vector<double> squares = to_host<double>(each);
  for (size_t i = 0; i < values.size(); ++i)
    ensure<FormatError>(std::isfinite(squares[i]),
                        files.has(names[i]) ? files.file_of(names[i]) : files.directory(),
                        ": tensor ", names[i],
                        " holds NaN or infinity; --allow-nonfinite opens it all the same");
}

// What was read of files to lay weights out, and to look through them, is not read again as a
// whole.
void release_files(const ParamStore& store) {
  for (const Param& p : store.all())
    if (p.value.storage()->borrowed()) release_pages(p.value.raw(), p.value.bytes());
}

// Every key filled in; tokens with a role stay, whatever the family reads of them.
Json completed(const Family& family, const Json& config, const std::string& file) {
  Json out = family.complete(config, file);
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"})
    if (const Json* id = config.find(key)) out.set(key, *id);
  return out;
}

}  // namespace

WeightUse weight_use(const std::string& dtype) {
  if (dtype == "auto") return WeightUse::as_stored;
  if (dtype == "bf16") return WeightUse::bf16;
  ensure<UsageError>(dtype == "f32", "dtype: found ", dtype, ", wanted auto, f32 or bf16");
  return WeightUse::f32;
}

WeightUse trained_use(const std::string& dtype, const char* who) {
  if (dtype == "f32") return WeightUse::trained;
  ensure<UsageError>(dtype == "bf16", who, ": found dtype ", dtype, ", wanted f32 or bf16");
  return WeightUse::mixed;
}

// The model the adapters belong to, with what they learnt made part of its weights.
static Model open_adapted(const std::string& directory, ModelPlace place) {
  const AdapterConfig config = read_adapter_config(directory);
  ensure<FormatError>(!is_adapter_directory(config.base), config.base,
                      ": adapters again, wanted the model they belong to");
  place.lora = config.lora;
  Model model = open_model(config.base, place);
  load_adapter(model, directory);
  model.store->merge_adapters();
  return model;
}

namespace {

// "BertForMaskedLM"; empty where the configuration says nothing.
std::string class_of(const Fields& fields) {
  if (!fields.has("architectures") || fields.list("architectures").empty()) return "";
  const Json& first = fields.list("architectures")[0];
  return first.is_string() ? first.text() : "";
}

// A pooler belongs to models without a head, too.
bool has_head(const ModelFiles& files, const Family& family) {
  const std::vector<std::string> names = files.names();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::any_of(
        family.head_weights.begin(), family.head_weights.end(),
        [&](const std::string& one) { return one != "pooler.*" && matches(one, name); });
  });
}

// The configuration, with the class below its head where the files have no weight of that head.
// Directories of sentence-transformers are like that: they keep the class that was trained before.
Json with_head_of(const ModelFiles& files, const Json& config, const std::string& file,
                  const Family& family) {
  const std::string name = class_of(Fields(config, file));
  const size_t head = name.find("For");
  const bool reads_texts = !family.heads.empty() && family.heads[0].task == EncoderTask::fill;
  if (!reads_texts || head == std::string::npos || has_head(files, family)) return config;
  const std::string below = name.substr(0, head) + "Model";
  log_info(file, ": the weights are those of a ", below, ", not of a ", name);
  Json out = config;
  return std::move(out.set("architectures", Json::array({below})));
}

}  // namespace

Json with_settings(const Json& config, const std::vector<Json::Member>& settings,
                   const std::string& directory) {
  if (settings.empty()) return config;
  Json out = config;
  std::vector<std::string> keys;
  const Json full = family_of(config, directory).complete(config, directory);
  for (const Json* known : {&full, &config})
    for (const auto& [key, value] : known->members()) keys.push_back(key);
  for (const auto& [key, value] : settings) {
    ensure<UsageError>(std::find(keys.begin(), keys.end(), key) != keys.end(), directory,
                       ": has no setting '", key, "'", did_you_mean(key, keys));
    refuse_other_kind(full, key, value, directory + ": ", "the model");
    out.set(key, value);
  }
  return out;
}

Model open_model(const std::string& directory, ModelPlace place) {
  ensure<MissingError>(is_directory(directory), directory, ": no such model directory");
  if (is_adapter_directory(directory)) return open_adapted(directory, place);
  const std::string file = join_path(directory, "config.json");
  const Json said = read_json_file(file);
  const Family& family = family_of(said, file);
  const ModelFiles files(directory);
  const Json config =
      with_settings(with_head_of(files, said, file, family), place.settings, directory);
  if (place.use == WeightUse::as_stored && all_bf16(files)) place.use = WeightUse::bf16;
  place = settled(place);
  ParamStore store = ParamStore::from_files(files, family.names, place.dtype, device_of(place));
  prepare(store, place);
  store.round_values(place.value_bits > 0 ? place.value_bits : value_bits(config));
  if (const auto split = place.split ? place.split : model_split()) {
    const bool read_only = place.use != WeightUse::trained && place.use != WeightUse::mixed;
    ensure<UsageError>(read_only && place.lora.rank == 0, directory,
                       ": found training, gradients or adapters, wanted a model that is only read: "
                       "its layers are divided among processes");
    store.divide(split);
  }
  Model model = family.build(config, file, std::move(store));
  bring_inputs(model);
  set_cache_type(model);
  if (place.lora.rank > 0) model.base = directory;
  if (!place.allow_nonfinite) refuse_nonfinite(*model.store, files);
  if (LayingOut::now()) release_files(*model.store);
  return model;
}

Model open_language_model(const std::string& directory, ModelPlace place) {
  Model model = open_model(directory, place);
  ensure<FormatError>(model.causal.forward != nullptr, directory, ": a ", model.model_type,
                      " model does not continue text",
                      model.translates() ? "; jogak translate runs it" : "");
  return model;
}

Model open_translator(const std::string& directory, ModelPlace place) {
  Model model = open_model(directory, place);
  ensure<FormatError>(model.translates(), directory, ": a ", model.model_type,
                      " model does not translate",
                      model.causal.forward ? "; jogak generate runs it" : "");
  return model;
}

// Weights are counted before they are made: a billion of them take seconds.
static int64_t count_weights(const Family& family, const Json& full) {
  CountingDevice nowhere;
  return family
      .build(full, "configuration", ParamStore::fresh(0, DType::f32, nowhere, family.names))
      .store->count();
}

Model new_model(const Json& config, uint64_t seed, ModelPlace place) {
  const Family& family = family_of(config, "configuration");
  place = settled(place);
  const Json full = completed(family, config, "configuration");
  Device& device = device_of(place);
  ParamStore store = ParamStore::fresh(seed, place.dtype, device, family.names);
  prepare(store, place);
  const bool real = device.kind() != Device::Kind::deferred;
  const WeightProgress progress(device, real ? count_weights(family, full) : 0);
  Model model = family.build(full, "configuration", std::move(store));
  bring_inputs(model);
  set_cache_type(model);
  return model;
}

// Weights are written as floats, whatever they were read from.
static Json in_floats(const Json& config) {
  Json out = Json::object();
  for (const auto& [key, value] : config.members())
    if (key != "quantization_config") out.set(key, value);
  return out;
}

void save_model(const Model& model, const std::string& directory, Telling telling) {
  if (model.store->lora().rank > 0) return save_adapter(model, directory);
  make_directories(directory);
  write_file(join_path(directory, "config.json"), in_floats(model.config).dump(2) + "\n");
  Json generation = Json::object();
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id",
                          "forced_bos_token_id", "forced_eos_token_id"})
    if (const Json* id = model.config.find(key)) generation.set(key, *id);
  if (model.translates()) {  // what `jogak translate` does unasked
    generation.set("bad_words_ids", Json::array({Json::array({model.seq2seq.pad})}));
    const int64_t longest = model.longest_answer > 0 ? model.longest_answer : model.context;
    generation.set("max_length", longest).set("num_beams", 4);
  }
  if (!model.encodes())
    write_file(join_path(directory, "generation_config.json"), generation.dump(2) + "\n");
  NamedTensors tensors = to_file(*model.store);
  for (auto& [name, value] : tensors)  // what is trained in 16 bits is kept in 32
    if (value.dtype() == DType::f64) value = cast(value, DType::f32);
  if (telling == Telling::nothing) return save_model_files(directory, tensors);
  const Lang lang = log_language();
  write_weights(directory, sources_of(tensors),
                lang == Lang::ko ? "가중치 쓰기" : "writing weights", lang);
}

constexpr char kUnplaced[] = "settings: byte 0: ";  // of values that stand in no file

// FormatError without a place where a value cannot be.
static Json unplaced_config(const Family& family, const std::string& preset,
                            const std::vector<Json::Member>& changes) {
  const Family::Preset* found = nullptr;
  std::string known;
  for (const Family::Preset& p : family.presets) {
    if (preset == p.name) found = &p;
    known += (known.empty() ? "" : ", ") + std::string(p.name);
  }
  ensure<UsageError>(found != nullptr, "unknown preset '", preset, "' of ", family.name,
                     ", wanted one of ", known);
  Json config = Json::object(found->config);
  config.set("model_type", family.model_type);
  std::vector<std::string> keys = {"bos_token_id", "eos_token_id", "pad_token_id"};
  keys.insert(keys.end(), family.keys.begin(), family.keys.end());
  for (const auto& [key, value] : changes) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      const std::string close = nearest(key, keys);
      fail<UsageError>("unknown ", family.name, " setting '", key, "'",
                       close.empty() ? "" : ", did you mean '" + close + "'?");
    }
    // A configuration within the configuration is the preset's but for what is set.
    const Json* const old = key.ends_with("_config") ? config.find(key) : nullptr;
    if (old && old->is_object() && value.is_object()) {
      Json both = *old;
      for (const auto& [name, one] : value.members()) both.set(name, one);
      config.set(key, std::move(both));
      continue;
    }
    config.set(key, value);
  }
  Json full = completed(family, config, "settings");
  for (const auto& [key, value] : changes) refuse_other_kind(full, key, value, "", family.name);
  return full;
}

static std::string without_place(const std::string& message) {
  return message.starts_with(kUnplaced) ? message.substr(sizeof kUnplaced - 1) : message;
}

Json preset_config(const Family& family, const std::string& preset,
                   const std::vector<Json::Member>& changes) {
  try {
    return unplaced_config(family, preset, changes);
  } catch (const FormatError& error) {
    throw UsageError("--set: " + without_place(error.what()));
  }
}

Json recipe_config(const ModelRecipe& recipe, const std::vector<Json::Member>& changes) {
  try {
    return unplaced_config(family_named(recipe.family), recipe.preset, changes);
  } catch (const FormatError& error) {
    std::string what = without_place(error.what()), place = "[model]";
    for (const auto& [key, where] : recipe.places)  // the last counts
      if (what.starts_with(json_quote(key))) place = where;
    what = text_of(place, ": ", what);
    if (place.starts_with(kCommandLine)) throw UsageError(what);
    throw FormatError(what);
  }
}

Json parse_setting(const std::string& text) {
  try {
    return parse_json(text, "setting");
  } catch (const FormatError&) {
    return Json(text);  // a bare word is a string
  }
}

}  // namespace jogak
