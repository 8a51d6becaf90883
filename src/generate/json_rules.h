// A JSON schema as rules that a text is held to, byte by byte. Of the language of schemas what
// answers of models are described by: types, properties, required, items, enum, const, anyOf of
// different kinds of value, $ref within the schema. What would narrow values in other ways is
// refused by name rather than passed over.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"

namespace jogak {

struct JsonRule {
  enum Kind : uint8_t { kObject = 1, kArray = 2, kString = 4, kNumber = 8, kLiterals = 16 };

  uint8_t kinds = 0;  // values that may stand here, told apart by their first byte
  bool whole_numbers = false;
  std::vector<std::string> literals = {};  // true, null, and what enum lists: sorted JSON texts
  // Objects: the quoted names that may come, sorted, and their rules. None: any names.
  std::vector<std::string> names = {};
  std::vector<const JsonRule*> values = {};
  uint64_t required = 0;                 // bits of names
  const JsonRule* others = nullptr;      // rule of values where any name may come
  const JsonRule* items = nullptr;       // of arrays
  int64_t fewest = 0, most = INT64_MAX;  // items of arrays

  static constexpr int64_t kEndless = int64_t{1} << 40;
  int64_t shortest = kEndless;  // bytes of the shortest value; kEndless: it would never end
};

class JsonRules {
 public:
  // UsageError: "response_format: ..". "{}" is any object.
  explicit JsonRules(const Json& schema);
  const JsonRule& root() const { return *root_; }

 private:
  friend class SchemaReader;
  void find_shortest();
  std::vector<std::unique_ptr<JsonRule>> all_;
  const JsonRule* root_ = nullptr;
};

}  // namespace jogak
