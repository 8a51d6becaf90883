#include "app/train/recipe.h"

#include "app/train/built_in_recipes.h"

#include <algorithm>
#include <cmath>

#define TOML_EXCEPTIONS 1
// "[}" would end a program with assertions; without them the parser says what is wrong.
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

#include "app/train/recipe_keys.h"
#include "base/file.h"
#include "base/log.h"
#include "base/suggest.h"
#include "look/switches.h"
#include "train/optimizer.h"
#include "train/schedule.h"

namespace jogak {
namespace {

[[noreturn]] void wrong_kind(const std::string& where, const std::string& key, const Json& value,
                             const char* wanted) {
  fail<FormatError>(where, ": \"", key, "\": found ", value.dump(), ", wanted ", wanted);
}

// A text that is one of these.
std::string one_of(const Json& value, const std::vector<std::string>& known,
                   const std::string& where, const std::string& key) {
  if (value.is_string())
    for (const std::string& k : known)
      if (value.text() == k) return k;
  std::string list;
  for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
  wrong_kind(where, key, value, ("one of " + list).c_str());
}

void assign(const RecipeField& field, const Json& value, const std::string& where,
            const std::string& key) {
  if (auto* optimizer = std::get_if<OptimizerKind*>(&field)) {
    **optimizer = parse_optimizer(one_of(value, optimizer_names(), where, key));
  } else if (auto* schedule = std::get_if<ScheduleKind*>(&field)) {
    **schedule = parse_schedule(one_of(value, schedule_names(), where, key));
  } else if (auto* text = std::get_if<std::string*>(&field)) {
    if (!value.is_string()) wrong_kind(where, key, value, "a string");
    **text = value.text();
  } else if (auto* real = std::get_if<double*>(&field)) {
    if (!value.is_number()) wrong_kind(where, key, value, "a number");
    **real = value.number();
  } else if (auto* flag = std::get_if<bool*>(&field)) {
    if (!value.is_bool()) wrong_kind(where, key, value, "true or false");
    **flag = value.boolean();
  } else {
    const bool good = value.is_integer() && value.integer() >= 0;
    if (!good) wrong_kind(where, key, value, "a whole number, 0 or more");
    if (auto* whole = std::get_if<int64_t*>(&field))
      **whole = value.integer();
    else
      **std::get_if<uint64_t*>(&field) = static_cast<uint64_t>(value.integer());
  }
}

bool holds_null(const Json& value) {
  if (value.is_array()) return std::any_of(value.items().begin(), value.items().end(), holds_null);
  if (!value.is_object()) return value.is_null();
  return std::any_of(value.members().begin(), value.members().end(),
                     [](const auto& member) { return holds_null(member.second); });
}

// Any key that is not ours is, in [model], one of Hugging Face's; the family checks it later.
void set_key(Recipe& r, const std::string& section, const std::string& key, const Json& value,
             const std::string& where) {
  std::vector<std::string> keys, sections;
  for (const RecipeKey& k : recipe_keys(r)) {
    if (sections.empty() || sections.back() != k.section) sections.emplace_back(k.section);
    if (section != k.section) continue;
    if (key == k.key) return assign(k.field, value, where, key);
    keys.emplace_back(k.key);
  }
  const std::string close = nearest(keys.empty() ? section : key, keys.empty() ? sections : keys);
  const std::string hint = close.empty() ? "" : ", did you mean '" + close + "'?";
  ensure<FormatError>(!keys.empty(), where, ": unknown section '", section, "'", hint);
  if (section == "model") {
    ensure<FormatError>(!holds_null(value), where, ": \"", key,
                        "\": found null, which a recipe cannot hold");
    for (auto& [name, old] : r.model.settings)
      if (name == key) {
        old = value;
        return;
      }
    r.model.settings.emplace_back(key, value);
    return;
  }
  fail<FormatError>(where, ": unknown key '", section, ".", key, "'", hint);
}

Json to_json(const toml::node& node, const std::string& where) {
  if (const auto* text = node.as_string()) return Json(text->get());
  if (const auto* whole = node.as_integer()) return Json(whole->get());
  if (const auto* real = node.as_floating_point()) {
    ensure<FormatError>(std::isfinite(real->get()), where, ": found a number that is not finite");
    return Json(real->get());
  }
  if (const auto* flag = node.as_boolean()) return Json(flag->get());
  if (const auto* list = node.as_array()) {
    Json out = Json::array();
    for (const toml::node& item : *list) out.push(to_json(item, where));
    return out;
  }
  ensure<FormatError>(node.is_table(), where,
                      ": wanted a string, a number, true or false, or several of them");
  Json out = Json::object();
  for (const auto& [key, value] : *node.as_table())
    out.set(std::string(key.str()), to_json(value, where));
  return out;
}

// Keys and values may hold any character; an error is one line all the same.
template <class Work>
auto on_one_line(const Work& work) {
  try {
    return work();
  } catch (const UsageError& error) {
    throw UsageError(detail::shown_on_one_line(error.what()));
  } catch (const FormatError& error) {
    throw FormatError(detail::shown_on_one_line(error.what()));
  }
}

void check_data(const DataRecipe& d, const std::string& name) {
  const bool two = !d.source.empty() && !d.target.empty();
  ensure<FormatError>(d.kind != "pairs" || two || !d.train.empty() || !d.make.empty(), name,
                      ": names no pairs: wanted data.source and data.target = \"FILE\", "
                      "data.train = \"FILE.tsv\" or data.make = \"dates\"");
  for (const auto& [key, file] : {std::pair{"train", &d.train}, std::pair{"source", &d.source}})
    ensure<FormatError>(d.make.empty() || file->empty(), name, ": found data.make = \"", d.make,
                        "\" and data.", key, " = \"", *file, "\", wanted one of them");
  ensure<FormatError>(d.kind == "pairs" || !d.make.empty() || !d.train.empty(), name,
                      ": names no data: wanted data.train = \"FILE\" or data.make = \"dates\"");
  ensure<FormatError>(d.valid_source.empty() == d.valid_target.empty(), name,
                      ": data.valid_source and data.valid_target go together");
}

void check_off(const std::string& off, const std::string& name) {
  if (off.empty() || off == "none") return;
  try {
    for (const Switch& part : parse_switches(off))
      ensure<FormatError>(part.head < 0, name, ": \"train.off\": found ", part.text,
                          ", but single heads cannot be off in training");
  } catch (const UsageError& error) {
    fail<FormatError>(name, ": \"train.off\": ", error.what());
  }
}

}  // namespace

// A key that other data has, and this has no use for, is not what somebody meant.
static void check_used(const Recipe& recipe, const std::string& name) {
  Recipe given = recipe, usual;
  const std::vector<RecipeKey> keys = recipe_keys(given), defaults = recipe_keys(usual);
  for (size_t i = 0; i < keys.size(); ++i) {
    const Json value = value_of(keys[i].field);
    const bool said = !(value == value_of(defaults[i].field));
    ensure<FormatError>(!said || keys[i].is_for(given.data.kind), name, ": \"", keys[i].section,
                        ".", keys[i].key, "\": found ", value.dump(), ", but data.kind = \"",
                        given.data.kind, "\" has no use for it; it is for ", keys[i].kinds);
  }
}

static void check_values(const Recipe& r, const std::string& name) {
  check_off(r.train.off, name);
  const auto positive = [&](const char* key, int64_t value) {
    ensure<FormatError>(value > 0, name, ": \"", key, "\": found ", value, ", wanted 1 or more");
  };
  const auto choice = [&](const char* key, const std::string& value,
                          const std::vector<std::string>& known) {
    one_of(Json(value), known, name, key);
  };
  positive("train.steps", r.train.steps);
  positive("train.batch", r.train.batch);
  positive("train.accumulate", r.train.accumulate);
  choice("train.dtype", r.train.dtype, {"f32", "bf16"});
  choice("data.kind", r.data.kind,
         {"text", "lines", "pairs", "masked", "masked-lines", "labels", "tags", "answers", "images",
          "series"});
  choice("data.missing", r.data.missing, {"refuse", "ffill", "linear"});
  choice("data.class_order", r.data.class_order, {"sorted", "first"});
  choice("tokenizer.type", r.tokenizer.type, {"char", "bpe", "wordpiece", "unigram"});
  choice("train.metric", r.train.metric, {"loss", "bleu", "chrf", "exact", "accuracy", "f1"});
  choice("train.bleu_tokenize", r.train.bleu_tokenize, {"13a", "char", "none"});
  ensure<FormatError>(r.train.label_smoothing >= 0 && r.train.label_smoothing < 1, name,
                      ": \"train.label_smoothing\": found ", r.train.label_smoothing,
                      ", wanted 0 or more and less than 1");
  if (!r.data.make.empty())
    choice("data.make", r.data.make,
           r.data.kind == "images"   ? std::vector<std::string>{"shapes"}
           : r.data.kind == "series" ? std::vector<std::string>{"series"}
           : r.data.kind == "labels" || r.data.kind == "answers"
               ? std::vector<std::string>{"dates"}
               : std::vector<std::string>{"dates", "sort"});
  ensure<FormatError>(r.data.mask_share > 0 && r.data.mask_share < 1, name,
                      ": \"data.mask_share\": found ", r.data.mask_share,
                      ", wanted more than 0 and less than 1");
  ensure<FormatError>(
      r.data.kind != "tags" || r.data.make.empty(), name,
      ": \"data.make\": no data with tags is generated, wanted data.train = \"FILE\"");
  check_data(r.data, name);
  ensure<FormatError>(r.data.valid_share > 0 && r.data.valid_share < 1, name,
                      ": \"data.valid_share\": found ", r.data.valid_share,
                      ", wanted more than 0 and less than 1");
  check_used(r, name);
}

void check_recipe(const Recipe& recipe, const std::string& name) {
  on_one_line([&] { check_values(recipe, name); });
}

static Recipe parsed_recipe(const std::string& text, const std::string& name) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail<FormatError>(name, ": line ", error.source().begin.line, " column ",
                      error.source().begin.column, ": ", error.description());
  }
  Recipe recipe;
  for (const auto& [section, node] : table) {
    const std::string where = text_of(name, ": line ", node.source().begin.line);
    if (section == "schema") {
      ensure<FormatError>(node.value_or(int64_t{0}) == 1, where,
                          ": a recipe of another schema, wanted schema = 1");
      continue;
    }
    ensure<FormatError>(node.is_table(), where, ": key '", section.str(),
                        "' stands outside a section such as [train]");
    for (const auto& [key, value] : *node.as_table()) {
      const std::string line = text_of(name, ": line ", value.source().begin.line);
      set_key(recipe, std::string(section.str()), std::string(key.str()), to_json(value, line),
              line);
    }
  }
  check_values(recipe, name);
  return recipe;
}

Recipe parse_recipe(const std::string& text, const std::string& name) {
  return on_one_line([&] { return parsed_recipe(text, name); });
}

static std::string built_in_names() {
  std::string out;
  for (const BuiltInRecipe& one : built_in_recipes())
    out += text_of(out.empty() ? "" : ", ", one.name);
  return out;
}

Recipe read_recipe(const std::string& path) {
  if (file_exists(path)) return parse_recipe(read_file(path), path);
  for (const BuiltInRecipe& one : built_in_recipes())
    if (path == one.name || path == text_of(one.name, ".toml") ||
        path == text_of("recipes/", one.name, ".toml")) {
      log_info(path, ": no such file here, this is the recipe that jogak brings");
      return parse_recipe(std::string(one.text), path);
    }
  fail<MissingError>(path, ": no such file, and no recipe that jogak brings: ", built_in_names());
}

namespace {

struct Setting {
  std::string section, key;
  Json value;
  bool names(const char* in, const char* what) const {
    return section == in && key == what && !(value.is_string() && value.text().empty());
  }
};

Setting parse_recipe_setting(const std::string& text) {
  const size_t equals = text.find('='), dot = text.find('.');
  ensure<UsageError>(equals != std::string::npos && dot < equals, "--set ", text,
                     ": wanted section.key=value");
  const std::string value = text.substr(equals + 1);
  Setting out{text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), Json(value)};
  try {
    out.value = parse_json(value, "");
  } catch (const FormatError&) {  // a bare word is a string
  }
  return out;
}

// Data that the user names is what is trained on, whatever the recipe named or made.
void prefer_named(DataRecipe& d, const std::vector<Setting>& settings) {
  const auto named = [&](const char* key) {
    return std::any_of(settings.begin(), settings.end(),
                       [&](const Setting& one) { return one.names("data", key); });
  };
  const bool file = named("train"), sides = named("source") || named("target");
  if (named("make") && !file && !sides)
    for (std::string* of :
         {&d.train, &d.valid, &d.source, &d.target, &d.valid_source, &d.valid_target})
      of->clear();
  if ((file || sides) && !named("make")) d.make.clear();
  if (file && !sides)
    for (std::string* of : {&d.source, &d.target}) of->clear();
  if (sides && !file) d.train.clear();
}

void apply_all(Recipe& recipe, const std::vector<std::string>& settings) {
  std::vector<Setting> parsed;
  std::string all;
  for (const std::string& text : settings) {
    parsed.push_back(parse_recipe_setting(text));
    all += (all.empty() ? "--set " : " ") + text;
  }
  if (parsed.empty()) return;
  try {
    for (const Setting& one : parsed) set_key(recipe, one.section, one.key, one.value, "--set");
    prefer_named(recipe.data, parsed);
    check_values(recipe, all);
  } catch (const FormatError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

void apply_settings(Recipe& recipe, const std::vector<std::string>& settings) {
  on_one_line([&] { apply_all(recipe, settings); });
}

Recipe run_recipe(const std::string& directory) {
  const std::string file = join_path(directory, "recipe.toml");
  if (!file_exists(file)) return {};
  try {
    return read_recipe(file);
  } catch (const FormatError&) {  // of another version, or not ours
    return {};
  }
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    std::string one = text.substr(at, end - at);
    const size_t first = one.find_first_not_of(' ');
    if (first != std::string::npos)
      out.push_back(one.substr(first, one.find_last_not_of(' ') - first + 1));
    at = end + 1;
  }
  return out;
}

}  // namespace jogak
