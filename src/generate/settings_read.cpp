// A value of JSON becomes a setting.
#include <algorithm>
#include <cmath>

#include "generate/settings_keys.h"

namespace jogak {
namespace {

constexpr size_t kMostItems = 1 << 20;  // of a list: no real one is near it

// What reading a value needs to know, and to complain with.
struct Reader {
  const GenerationKey& key;
  const Fields& fields;
  int64_t vocab;

  [[noreturn]] void wrong(const Json& value, std::string_view wanted) const {
    fields.wrong(value, key.key, wanted);
  }

  const std::vector<Json>& items(const Json& value, const char* wanted) const {
    if (!value.is_array()) wrong(value, wanted);
    if (value.items().size() > kMostItems)
      wrong(value, text_of("at most ", kMostItems, " of them"));
    return value.items();
  }

  int64_t integer(const Json& value) const {
    const int64_t low = static_cast<int64_t>(key.low);
    const int64_t high = key.is_token ? vocab - 1 : static_cast<int64_t>(key.high);
    const bool good = value.is_integer() && value.integer() >= low && value.integer() <= high;
    if (good) return value.integer();
    wrong(value, key.is_token ? text_of("an id from ", low, " to ", high)
                              : text_of("an integer from ", low, " to ", high));
  }

  double number(const Json& value) const {
    const bool good = value.is_number() && std::isfinite(value.number()) &&
                      (key.above ? value.number() > key.low : value.number() >= key.low) &&
                      value.number() <= key.high;
    if (good) return value.number();
    const std::string least =
        key.low < -1e6 ? "" : text_of(key.above ? " above " : " from ", key.low);
    wrong(value, text_of("a number", least, key.high < 1e6 ? text_of(" to ", key.high) : ""));
  }

  std::vector<int> ids(const Json& value, bool may_be_one) const {
    if (may_be_one && value.is_integer()) return {static_cast<int>(integer(value))};
    std::vector<int> out;
    for (const Json& id : items(value, may_be_one ? "an id or a list" : "a list of ids"))
      out.push_back(static_cast<int>(integer(id)));
    if (may_be_one && out.empty()) wrong(value, "at least one id, or null");
    return out;
  }

  std::vector<int> sequence(const Json& value) const {
    std::vector<int> out = ids(value, false);
    if (out.empty()) wrong(value, "a list of at least one id");
    return out;
  }
};

void read(const Reader& r, const Json& value, std::optional<int64_t>& out) {
  out = r.integer(value);
}
void read(const Reader& r, const Json& value, std::optional<double>& out) { out = r.number(value); }

void read(const Reader& r, const Json& value, std::optional<bool>& out) {
  if (!value.is_bool()) r.wrong(value, "true or false");
  out = value.boolean();
}

void read(const Reader& r, const Json& value, std::optional<std::vector<int>>& out) {
  const std::string_view key = r.key.key;
  out = r.ids(value, key == "eos_token_id" || key == "forced_eos_token_id");
}

void read(const Reader& r, const Json& value, std::optional<std::vector<std::vector<int>>>& out) {
  out.emplace();
  for (const Json& one : r.items(value, "a list of lists of ids")) out->push_back(r.sequence(one));
}

// A list of pairs; a sequence that comes again replaces the bias it had.
void read(const Reader& r, const Json& value, std::optional<std::vector<BiasedSequence>>& out) {
  out.emplace();
  for (const Json& one : r.items(value, "a list of [[ids], number]")) {
    const bool pair = one.is_array() && one.items().size() == 2 && one.items()[1].is_number();
    if (!pair) r.wrong(one, "[[ids], number]");
    BiasedSequence next{r.sequence(one.items()[0]), one.items()[1].number()};
    const auto old = std::find_if(out->begin(), out->end(),
                                  [&](const BiasedSequence& b) { return b.ids == next.ids; });
    if (old != out->end())
      old->bias = next.bias;
    else
      out->push_back(std::move(next));
  }
}

void read(const Reader& r, const Json& value, std::optional<EndGrowth>& out) {
  const bool good = value.is_array() && value.items().size() == 2 &&
                    value.items()[0].is_integer() && value.items()[0].integer() >= 0 &&
                    value.items()[1].is_number() && value.items()[1].number() > 0;
  if (!good) r.wrong(value, "[new tokens from 0, a factor above 0]");
  out = EndGrowth{value.items()[0].integer(), value.items()[1].number()};
}

void read(const Reader& r, const Json& value, std::optional<EarlyStopping>& out) {
  const bool never = value.is_string() && value.text() == "never";
  if (!never && !value.is_bool()) r.wrong(value, "true, false or \"never\"");
  out = never ? EarlyStopping::never : value.boolean() ? EarlyStopping::yes : EarlyStopping::no;
}

void read(const Reader& r, const Json& value, std::optional<std::vector<std::string>>& out) {
  out.emplace();
  if (value.is_string()) return out->push_back(value.text());
  for (const Json& one : r.items(value, "a string or a list of strings")) {
    if (!one.is_string()) r.wrong(one, "a string");
    out->push_back(one.text());
  }
}

void read_value(GenerationSettings& s, const GenerationKey& key, const Json& value,
                const Fields& fields, int64_t vocab) {
  std::visit(
      [&](auto member) {
        auto& field = s.*member;
        field.reset();
        if (!value.is_null()) return read(Reader{key, fields, vocab}, value, field);
      },
      key.field);
}

bool refuse(const std::string& key, const Json& value, const Fields& fields) {
  for (const RefusedKey& one : refused_generation_keys()) {
    if (key != one.key) continue;
    const bool harmless = value.is_null() || std::find(one.harmless.begin(), one.harmless.end(),
                                                       value) != one.harmless.end();
    std::string wanted = "null";
    for (const Json& other : one.harmless)
      wanted = other.dump() + (wanted == "null" ? " or null" : ", " + wanted);
    if (!harmless) fields.wrong(value, key, text_of(wanted, ": ", one.what, " is not done here"));
    return true;
  }
  return false;
}

}  // namespace

bool GenerationSettings::say_how() const {
  const auto& keys = generation_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const GenerationKey& key) {
    return !key.names_token && key.is_set(*this);
  });
}

void GenerationSettings::take(const GenerationSettings& others) {
  for (const GenerationKey& key : generation_keys())
    std::visit(
        [&](auto member) {
          if (others.*member) this->*member = others.*member;
        },
        key.field);
}

bool GenerationKey::is_set(const GenerationSettings& settings) const {
  return std::visit([&](auto member) { return (settings.*member).has_value(); }, field);
}

const char* GenerationKey::value_name() const {
  if (std::holds_alternative<Member<int64_t>>(field)) return is_token ? "ID" : "N";
  if (std::holds_alternative<Member<double>>(field)) return "X";
  if (std::holds_alternative<Member<bool>>(field)) return "BOOL";
  if (std::holds_alternative<Member<EarlyStopping>>(field)) return "WHEN";
  if (std::holds_alternative<Member<std::vector<std::string>>>(field)) return "TEXT";
  return "JSON";
}

GenerationFile read_generation_file(const Json& json, const std::string& file, int64_t vocab) {
  GenerationFile out;
  const Fields fields(json, file);
  out.settings.from = file;
  for (const auto& [name, value] : json.members()) {
    const auto& keys = generation_keys();
    const auto known =
        std::find_if(keys.begin(), keys.end(),
                     [&wanted = name](const GenerationKey& key) { return wanted == key.key; });
    const auto& quiet = harmless_generation_keys();
    if (known != keys.end())
      read_value(out.settings, *known, value, fields, vocab);
    else if (!refuse(name, value, fields) &&
             std::find(quiet.begin(), quiet.end(), name) == quiet.end())
      out.unknown.push_back(name);
  }
  return out;
}

GenerationSettings read_legacy_generation(const Json& config, const std::string& file,
                                          int64_t vocab) {
  return read_generation_file(config, file, vocab).settings;  // the others are the model's
}

void set_generation_key(GenerationSettings& settings, const GenerationKey& key, const Json& value,
                        const char* flag, int64_t vocab) {
  const Json whole = Json::object();
  try {
    // No end token at all is something to ask for; of other keys null says nothing.
    if (value.is_null() && std::string_view(key.key) == "eos_token_id")
      settings.eos_token_id.emplace();
    else
      read_value(settings, key, value, Fields(whole, text_of("--", flag)), vocab);
  } catch (const FormatError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace jogak
