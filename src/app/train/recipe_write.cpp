// A recipe as TOML: what a run keeps of it, and reads again when it is resumed.
#include <algorithm>
#include <string>
#include <vector>

#include "app/train/recipe.h"
#include "app/train/recipe_keys.h"

namespace jogak {
namespace {

std::string toml_text(const Json& text) {  // as JSON has it, but for one control character
  std::string out;
  for (const char c : text.dump()) out += c == '\x7f' ? "\\u007f" : std::string(1, c);
  return out;
}

std::string toml_key(const std::string& key) {
  constexpr const char* kBare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string::npos;
  return bare ? key : toml_text(Json(key));
}

// TOML's tables have no order: the same settings are written as the same text.
std::vector<Json::Member> by_key(std::vector<Json::Member> members) {
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return members;
}

std::string toml_value(const Json& value) {
  if (!value.is_array() && !value.is_object()) return toml_text(value);
  std::string out;
  if (value.is_array())
    for (const Json& item : value.items()) out += (out.empty() ? "" : ", ") + toml_value(item);
  else
    for (const auto& [key, item] : by_key(value.members()))
      out += (out.empty() ? "" : ", ") + toml_key(key) + " = " + toml_value(item);
  return value.is_array() ? "[" + out + "]" : "{" + out + "}";
}

}  // namespace

std::string to_toml(const Recipe& recipe) {
  Recipe copy = recipe;
  std::string out = "schema = 1\n", section;
  const auto write = [&](const std::string& key, const Json& value) {
    out += toml_key(key) + " = " + toml_value(value) + "\n";
  };
  const auto model_settings = [&] {
    for (const auto& [key, value] : by_key(copy.model.settings)) write(key, value);
  };
  for (const RecipeKey& k : recipe_keys(copy)) {
    if (k.section == std::string("study") && copy.study == StudyRecipe{}) continue;
    if (section != k.section) {
      if (section == "model") model_settings();
      section = k.section;
      out += "\n[" + section + "]\n";
    }
    write(k.key, value_of(k.field));
  }
  return out;
}

}  // namespace jogak
