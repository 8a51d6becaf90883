#include "generate/json_rules.h"

#include <algorithm>
#include <map>

namespace jogak {
namespace {

constexpr size_t kMostRules = 10'000, kMostNames = 63;

constexpr const char* kNarrowing[] = {"allOf",
                                      "oneOf",
                                      "not",
                                      "if",
                                      "pattern",
                                      "patternProperties",
                                      "propertyNames",
                                      "minLength",
                                      "maxLength",
                                      "minimum",
                                      "maximum",
                                      "exclusiveMinimum",
                                      "exclusiveMaximum",
                                      "multipleOf",
                                      "prefixItems",
                                      "contains",
                                      "uniqueItems",
                                      "minProperties",
                                      "maxProperties",
                                      "dependentRequired",
                                      "dependentSchemas",
                                      "unevaluatedItems",
                                      "unevaluatedProperties"};

[[noreturn]] void refuse(const std::string& what) { fail<UsageError>("response_format: ", what); }

}  // namespace

class SchemaReader {
 public:
  SchemaReader(JsonRules& out, const Json& schema) : out_(out), top_(schema) {}

  const JsonRule* read(const Json& schema);
  const JsonRule* anything(bool object_only);

 private:
  JsonRule& fresh() {
    if (out_.all_.size() >= kMostRules) refuse("the schema is too large");
    return *out_.all_.emplace_back(std::make_unique<JsonRule>());
  }
  const JsonRule* referred(const std::string& place);
  void add_type(JsonRule& rule, const std::string& type);
  void add_object(JsonRule& rule, const Json& schema);
  void add_array(JsonRule& rule, const Json& schema);
  void add_choices(JsonRule& rule, const std::vector<Json>& choices);
  static bool clash(const JsonRule& a, const JsonRule& b);
  static void join(JsonRule& rule, const JsonRule& part);
  static int64_t count_of(const Json& schema, const char* key, int64_t otherwise);

  JsonRules& out_;
  const Json& top_;
  std::map<std::string, const JsonRule*> known_;  // by $ref: schemas may mean themselves
  const JsonRule* anything_ = nullptr;
};

const JsonRule* SchemaReader::anything(bool object_only) {
  if (!anything_) {
    JsonRule& any = fresh();
    anything_ = &any;
    any.kinds = JsonRule::kObject | JsonRule::kArray | JsonRule::kString | JsonRule::kNumber |
                JsonRule::kLiterals;
    any.literals = {"false", "null", "true"};
    any.others = any.items = &any;
  }
  if (!object_only) return anything_;
  JsonRule& object = fresh();
  object.kinds = JsonRule::kObject;
  object.others = anything_;
  return &object;
}

const JsonRule* SchemaReader::referred(const std::string& place) {
  if (const auto found = known_.find(place); found != known_.end()) return found->second;
  if (!place.starts_with("#"))
    refuse("$ref: found " + json_quote_start(place, 60) + ", wanted a place within the schema");
  const Json* at = &top_;
  for (size_t from = 1; at && from < place.size();) {
    const size_t end = std::min(place.find('/', from + 1), place.size());
    at = at->find(place.substr(from + 1, end - from - 1));
    from = end;
  }
  if (!at) refuse("$ref: there is no " + json_quote_start(place, 60));
  if (const Json* next = at->find("$ref"); next && next->is_string() && next->text() == place)
    refuse("$ref: " + json_quote_start(place, 60) + " means itself");
  JsonRule& rule = fresh();  // known before it is read, for those within that mean it
  known_[place] = &rule;
  rule = *read(*at);
  return &rule;
}

void SchemaReader::add_choices(JsonRule& rule, const std::vector<Json>& choices) {
  if (choices.empty()) refuse("enum: found no values");
  for (const Json& one : choices) rule.literals.push_back(one.dump());
  rule.kinds |= JsonRule::kLiterals;
}

int64_t SchemaReader::count_of(const Json& schema, const char* key, int64_t otherwise) {
  const Json* found = schema.find(key);
  if (!found) return otherwise;
  if (!found->is_integer() || found->integer() < 0 || found->integer() > 100'000)
    refuse(std::string(key) + ": wanted a number from 0 to 100000");
  return found->integer();
}

void SchemaReader::add_array(JsonRule& rule, const Json& schema) {
  const Json* items = schema.find("items");
  rule.items = items && items->is_object() ? read(*items) : anything(false);
  rule.fewest = count_of(schema, "minItems", 0);
  rule.most = count_of(schema, "maxItems", INT64_MAX);
  if (rule.most < rule.fewest) refuse("maxItems: less than minItems");
  rule.kinds |= JsonRule::kArray;
}

void SchemaReader::add_object(JsonRule& rule, const Json& schema) {
  rule.kinds |= JsonRule::kObject;
  const Json* properties = schema.find("properties");
  const Json* others = schema.find("additionalProperties");
  if (!properties || !properties->is_object() || properties->members().empty()) {
    if (others && others->is_bool() && !others->boolean()) {
      rule.others = nullptr;
    } else {
      rule.others = others && others->is_object() ? read(*others) : anything(false);
    }
    if (const Json* wanted = schema.find("required");
        wanted && wanted->is_array() && !wanted->items().empty())
      refuse("required: names that are not among the properties");
    return;
  }
  std::map<std::string, const Json*> sorted;
  for (const auto& [name, value] : properties->members()) sorted[Json(name).dump()] = &value;
  if (sorted.size() > kMostNames) refuse("properties: more than 63");
  for (const auto& [name, value] : sorted) {
    rule.names.push_back(name);
    rule.values.push_back(read(*value));
  }
  const Json* wanted = schema.find("required");
  if (!wanted) return;
  if (!wanted->is_array()) refuse("required: wanted a list of names");
  for (const Json& name : wanted->items()) {
    const auto found = std::find(rule.names.begin(), rule.names.end(), name.dump());
    if (found == rule.names.end()) refuse("required: " + name.dump() + " is not a property");
    rule.required |= uint64_t{1} << (found - rule.names.begin());
  }
}

void SchemaReader::add_type(JsonRule& rule, const std::string& type) {
  if (type == "string") {
    rule.kinds |= JsonRule::kString;
  } else if (type == "number" || type == "integer") {
    rule.whole_numbers = type == "integer" && !(rule.kinds & JsonRule::kNumber);
    rule.kinds |= JsonRule::kNumber;
  } else if (type == "null" || type == "boolean") {
    rule.kinds |= JsonRule::kLiterals;
    if (type == "null") rule.literals.emplace_back("null");
    if (type == "boolean") rule.literals.insert(rule.literals.end(), {"false", "true"});
  } else if (type != "object" && type != "array") {
    refuse("type: found " + json_quote_start(type, 40));
  }
}

// Whether a literal of one begins as other values of the other do.
bool SchemaReader::clash(const JsonRule& a, const JsonRule& b) {
  return std::any_of(a.literals.begin(), a.literals.end(), [&](const std::string& text) {
    const bool number = text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
    return (text[0] == '"' && (b.kinds & JsonRule::kString)) ||
           (number && (b.kinds & JsonRule::kNumber)) ||
           (text[0] == '{' && (b.kinds & JsonRule::kObject)) ||
           (text[0] == '[' && (b.kinds & JsonRule::kArray));
  });
}

// What may stand in place of either: told apart by the first byte.
void SchemaReader::join(JsonRule& rule, const JsonRule& part) {
  if (rule.kinds & part.kinds & ~JsonRule::kLiterals || clash(rule, part) || clash(part, rule))
    refuse("anyOf: two of one kind of value");
  if (part.kinds & JsonRule::kObject)
    rule.names = part.names, rule.values = part.values, rule.required = part.required,
    rule.others = part.others;
  if (part.kinds & JsonRule::kArray)
    rule.items = part.items, rule.fewest = part.fewest, rule.most = part.most;
  if (part.kinds & JsonRule::kNumber) rule.whole_numbers = part.whole_numbers;
  rule.kinds |= part.kinds;
  rule.literals.insert(rule.literals.end(), part.literals.begin(), part.literals.end());
}

const JsonRule* SchemaReader::read(const Json& schema) {
  if (schema.is_bool() && schema.boolean()) return anything(false);
  if (!schema.is_object()) refuse("wanted a schema, found " + std::string(schema.kind_name()));
  for (const char* key : kNarrowing)
    if (schema.find(key)) refuse(std::string(key) + " is not supported");
  if (const Json* ref = schema.find("$ref"); ref && ref->is_string()) return referred(ref->text());
  JsonRule& rule = fresh();
  const Json* type = schema.find("type");
  if (const Json* value = schema.find("const")) {
    add_choices(rule, {*value});
  } else if (const Json* list = schema.find("enum"); list && list->is_array()) {
    add_choices(rule, list->items());
  } else if (const Json* any = schema.find("anyOf"); any && any->is_array()) {
    for (const Json& each : any->items()) join(rule, *read(each));
  } else {
    std::vector<std::string> types;
    if (type && type->is_string()) types.push_back(type->text());
    if (type && type->is_array())
      for (const Json& one : type->items()) types.push_back(one.is_string() ? one.text() : "?");
    if (types.empty() && schema.find("properties")) types.emplace_back("object");
    if (types.empty() && schema.find("items")) types.emplace_back("array");
    if (types.empty()) return anything(false);
    for (const std::string& one : types) {
      add_type(rule, one);
      if (one == "object") add_object(rule, schema);
      if (one == "array") add_array(rule, schema);
    }
  }
  std::sort(rule.literals.begin(), rule.literals.end());
  rule.literals.erase(std::unique(rule.literals.begin(), rule.literals.end()), rule.literals.end());
  return &rule;
}

JsonRules::JsonRules(const Json& schema) {
  SchemaReader reader(*this, schema);
  const bool any = schema.is_object() && schema.members().empty();
  root_ = any ? reader.anything(true) : reader.read(schema);
  find_shortest();
}

}  // namespace jogak
