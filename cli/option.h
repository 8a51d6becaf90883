// What a command's tables are made of.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/lang.h"

namespace jogak::cli {

enum class Kind : uint8_t { flag, text, integer, number };

// How often an option may come, and how many values it takes each time.
enum class Times : uint8_t { once, repeated, list };  // list: values up to the next option

struct Option {
  std::string name;  // "top-k"; "--top_k" is the same
  Words help;
  Kind kind = Kind::text;
  std::string value = {};     // what the help calls the value: N, FILE
  std::string fallback = {};  // the value when none is given; empty: none
  char letter = 0;            // 'n' for -n
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};
  Times times = Times::once;
};

struct Operand {  // an argument without a name
  std::string name;
  Words help;
  bool optional = false;
  std::vector<std::string> choices = {};
  bool repeated = false;  // takes all that follow; only the last of a command may
};

}  // namespace jogak::cli
