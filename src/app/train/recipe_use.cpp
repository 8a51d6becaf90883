#include "app/train/recipe_use.h"

#include <algorithm>

#include "app/train/recipe_keys.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace jogak {
namespace {

template <class T>
std::string said(const char* key, const T& value) {
  return text_of(key, " = ", Json(value).dump());
}

// Words, so that each key says what stands against it.
std::string if_there(const char* key, const std::string& value) {
  return value.empty() ? "" : said(key, value);
}

std::string against_tokenizer(const Recipe& r, const std::string& key) {
  if (!is_among(key, {"tokenizer.type", "tokenizer.vocab_size", "tokenizer.shared",
                      "tokenizer.normalize"}))
    return "";
  if (!r.tokenizer.from.empty()) return said("tokenizer.from", r.tokenizer.from);
  if (!r.model.from.empty()) return said("model.from", r.model.from);
  const bool characters = r.tokenizer.type == "char" && r.data.kind != "pairs";
  return key == "tokenizer.vocab_size" && characters ? said("tokenizer.type", r.tokenizer.type)
                                                     : "";
}

// What was set for files has no use where data is made, and the reverse.
std::string against_data(const DataRecipe& d, const std::string& key) {
  const bool made = !d.make.empty();
  if (is_among(key, {"data.count", "data.valid_count"}))
    return made ? "" : said("data.make", d.make);
  if (key == "data.separator") return d.kind == "text" && !made ? said("data.make", d.make) : "";
  if (key == "data.valid_share") {
    if (made) return said("data.make", d.make);
    return !d.valid.empty() ? said("data.valid", d.valid)
                            : if_there("data.valid_source", d.valid_source);
  }
  if (key == "data.seed") {
    if (made) return "";
    const bool in_order = is_among(d.kind, {"text", "lines", "masked", "masked-lines", "series"});
    if (in_order) return said("data.make", d.make);
    return !d.valid.empty() ? said("data.valid", d.valid)
                            : if_there("data.valid_source", d.valid_source);
  }
  if (is_among(key, {"data.source_column", "data.target_column"}))
    return made ? said("data.make", d.make) : if_there("data.source", d.source);
  const bool of_files =
      is_among(key, {"data.valid", "data.valid_source", "data.valid_target", "data.text_column",
                     "data.label_column", "data.image_column", "data.date_column", "data.series",
                     "data.missing", "data.train_labels", "data.valid_labels"});
  return of_files && made ? said("data.make", d.make) : "";
}

std::string against_training(const Recipe& r, const std::string& key) {
  const TrainRecipe& t = r.train;
  const std::string optimizer = said("train.optimizer", name_of(t.optimizer.kind));
  const std::string schedule = said("train.schedule", name_of(t.schedule.kind));
  const ScheduleKind kind = t.schedule.kind;
  if (key == "train.momentum") return t.optimizer.kind == OptimizerKind::sgd ? "" : optimizer;
  if (is_among(key, {"train.beta1", "train.beta2", "train.eps"}))
    return t.optimizer.kind == OptimizerKind::sgd ? optimizer : "";
  if (key == "train.lr") return kind == ScheduleKind::noam ? schedule : "";
  if (key == "train.decay_steps") return kind == ScheduleKind::wsd ? "" : schedule;
  if (key == "train.min_lr") {
    const bool falls =
        kind == ScheduleKind::linear || kind == ScheduleKind::cosine || kind == ScheduleKind::wsd;
    return falls ? "" : schedule;
  }
  if (is_among(key, {"train.lora_alpha", "train.lora_targets"}))
    return t.lora_rank > 0 ? "" : said("train.lora_rank", t.lora_rank);
  if (key == "train.bleu_tokenize") return t.metric == "bleu" ? "" : said("train.metric", t.metric);
  if (key == "train.batch" && t.batch_tokens > 0) return said("train.batch_tokens", t.batch_tokens);
  return "";
}

bool at_default(const RecipeField& field, const RecipeField& usual) {
  return value_of(field) == value_of(usual);
}

std::string name_of_key(const RecipeKey& key) { return text_of(key.section, ".", key.key); }

}  // namespace

bool is_among(const std::string& key, std::initializer_list<const char*> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string no_use_for(const Recipe& r, const std::string& key) {
  if (key == "model.preset") return if_there("model.from", r.model.from);
  if (key.starts_with("tokenizer.")) return against_tokenizer(r, key);
  return key.starts_with("data.") ? against_data(r.data, key) : against_training(r, key);
}

void refuse_unused(const Recipe& recipe, const std::string& name) {
  Recipe given = recipe, usual;
  const std::vector<RecipeKey> keys = recipe_keys(given), defaults = recipe_keys(usual);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (at_default(keys[i].field, defaults[i].field)) continue;
    const std::string key = name_of_key(keys[i]), against = no_use_for(recipe, key);
    ensure<FormatError>(against.empty(), name, ": \"", key, "\": found ",
                        value_of(keys[i].field).dump(), ", but ", against, " has no use for it");
  }
}

void forget_unused(Recipe& recipe, const std::vector<std::string>& asked) {
  Recipe usual;
  const std::vector<RecipeKey> keys = recipe_keys(recipe), defaults = recipe_keys(usual);
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string key = name_of_key(keys[i]);
    if (std::find(asked.begin(), asked.end(), key) != asked.end()) continue;
    if (no_use_for(recipe, key).empty()) continue;
    std::visit([&](auto* value) { *value = *std::get<decltype(value)>(defaults[i].field); },
               keys[i].field);
  }
}

}  // namespace jogak
