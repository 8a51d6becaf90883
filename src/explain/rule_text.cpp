#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "draw/numbers.h"
#include "explain/python.h"
#include "explain/rule.h"
#include "explain/rule_functions.h"

namespace jogak {
namespace {

enum Strength { kSum = 1, kProduct = 2, kMinus = 3, kPower = 4, kSingle = 5 };

int strength(const Rule& rule) {
  if (rule.kind == Rule::Kind::minus) return kMinus;
  if (rule.kind == Rule::Kind::number) return rule.number < 0 ? kMinus : kSingle;
  if (rule.kind != Rule::Kind::binary) return kSingle;
  if (rule.name == "+" || rule.name == "-") return kSum;
  return rule.name == "**" ? kPower : kProduct;
}

bool is_constant(const Rule& rule) {
  if (rule.kind == Rule::Kind::name) return rule.name == "pi" || rule.name == "inf";
  return std::all_of(rule.parts.begin(), rule.parts.end(), is_constant);
}

// Writes a rule as code: its own spelling when there is no library.
class CodeWriter {
 public:
  explicit CodeWriter(const Library* library) : library_(library) {}

  std::string text(const Rule& rule, int at_least = kSum) const {
    std::string out = bare(rule);
    return strength(rule) < at_least ? "(" + out + ")" : out;
  }

 private:
  std::string bare(const Rule& rule) const {
    switch (rule.kind) {
      case Rule::Kind::number: return exact_text(rule.number);
      case Rule::Kind::name: return constant(rule.name);
      case Rule::Kind::minus: return "-" + text(rule.parts[0], kMinus);
      case Rule::Kind::transpose: return text(rule.parts[0], kSingle) + ".T";
      case Rule::Kind::slice: return text(rule.parts[0], kSingle) + ranges(rule.ranges);
      case Rule::Kind::call: return call(rule);
      case Rule::Kind::binary: break;
    }
    const int own = strength(rule);
    const int left = own == kPower ? kSingle : own, right = own == kPower ? kMinus : own + 1;
    return text(rule.parts[0], left) + " " + rule.name + " " + text(rule.parts[1], right);
  }

  std::string constant(const std::string& name) const {
    if (!library_) return name;
    if (name != "inf" && name != "pi") return python_name(name);
    return (*library_ == Library::numpy ? "np." : "torch.") + name;
  }

  static std::string ranges(const std::vector<int64_t>& r) {
    const auto range = [](int64_t from, int64_t to) {
      return (from ? std::to_string(from) : "") + ":" + (to >= 0 ? std::to_string(to) : "");
    };
    return "[" + range(r[0], r[1]) + ", " + range(r[2], r[3]) + "]";
  }

  std::string call(const Rule& rule) const {
    const RuleFunction& function = find_rule_function(rule.name);
    std::vector<std::string> arguments;
    std::string all;
    for (const Rule& part : rule.parts) {
      arguments.push_back(text(part));
      all += (all.empty() ? "" : ", ") + arguments.back();
    }
    if (!library_) return rule.name + "(" + all + ")";
    // torch's functions of tensors refuse plain numbers.
    if (function.in_math && is_constant(rule.parts[0]))
      return "math." + rule.name + "(" + all + ")";
    const std::string_view pattern =
        *library_ == Library::numpy ? function.numpy : function.pytorch;
    std::string out;
    for (size_t at = 0; at < pattern.size(); ++at) {
      if (pattern[at] != '#') {
        out += pattern[at];
        continue;
      }
      const bool dotted = at + 3 < pattern.size() && pattern[at + 3] == '.';
      const auto index = static_cast<size_t>(pattern[at + 1] - '0');
      if (pattern[at + 1] == '*')
        out += all;
      else
        out += dotted ? text(rule.parts[index], kSingle) : arguments[index];
      at += 2;
    }
    return out;
  }

  const Library* library_;
};

// Writes one entry with its numbers put in; nothing when it cannot be written.
class HandWriter {
 public:
  HandWriter(const Values& values, const EntryText& number) : values_(values), number_(number) {}

  using Text = std::optional<std::string>;

  Text text(const Rule& rule, int64_t i, int64_t j, int at_least = kSum) const {
    const Matrix whole = evaluate(rule, values_);
    i = whole.rows == 1 ? 0 : i;
    j = whole.columns == 1 ? 0 : j;
    if (!std::isfinite(whole.at(i, j))) return std::nullopt;
    int own = strength(rule);
    const Text out = bare(rule, i, j, own);
    return out && own < at_least ? Text("(" + *out + ")") : out;
  }

 private:
  Text bare(const Rule& rule, int64_t i, int64_t j, int& own) const {
    switch (rule.kind) {
      case Rule::Kind::number: return exact_text(rule.number);
      case Rule::Kind::name: return rule.name == "pi" ? "π" : number_(rule.name, i, j);
      case Rule::Kind::transpose: return through(rule.parts[0], j, i, own);
      case Rule::Kind::slice:
        return through(rule.parts[0], i + rule.ranges[0], j + rule.ranges[2], own);
      case Rule::Kind::call: return call(rule, i, j, own);
      case Rule::Kind::minus: {
        own = kSum;  // in parentheses wherever something stands before it
        const Text inner = text(rule.parts[0], i, j, kProduct);
        return inner ? Text("-" + *inner) : std::nullopt;
      }
      case Rule::Kind::binary: break;
    }
    if (rule.name == "@") return row_by_column(rule, i, j, own);
    const int right = own == kPower ? kSingle : own + 1;
    const Text a = text(rule.parts[0], i, j, own == kPower ? kSingle : own);
    const Text b = text(rule.parts[1], i, j, right);
    if (!a || !b) return std::nullopt;
    const std::string sign = rule.name == "*"    ? "·"
                             : rule.name == "**" ? "^"
                                                 : " " + rule.name + " ";
    return *a + sign + *b;
  }

  Text through(const Rule& part, int64_t i, int64_t j, int& own) const {
    own = strength(part);
    return bare(part, i, j, own);
  }

  Text row_by_column(const Rule& rule, int64_t i, int64_t j, int& own) const {
    const int64_t terms = evaluate(rule.parts[0], values_).columns;
    if (terms > kTermsByHand) return std::nullopt;
    own = terms > 1 ? kSum : kProduct;
    std::string out;
    for (int64_t c = 0; c < terms; ++c) {
      const Text a = text(rule.parts[0], i, c, kProduct), b = text(rule.parts[1], c, j, kMinus);
      if (!a || !b) return std::nullopt;
      out += (c ? " + " : "") + *a + "·" + *b;
    }
    return out;
  }

  // Entries of a row, a column or everything, as a fold of entry (i, j) sees them.
  std::vector<std::pair<int64_t, int64_t>> seen(const Rule& rule, int64_t i, int64_t j) const {
    const Matrix whole = evaluate(rule.parts[0], values_);
    const bool row = rule.name.starts_with("row_"), column = rule.name.starts_with("column_");
    std::vector<std::pair<int64_t, int64_t>> out;
    for (int64_t r = 0; r < whole.rows; ++r)
      for (int64_t c = 0; c < whole.columns; ++c)
        if ((!row || r == i) && (!column || c == j)) out.emplace_back(r, c);
    return out;
  }

  Text call(const Rule& rule, int64_t i, int64_t j, int& own) const {
    const std::string& name = rule.name;
    if (name == "where") {
      const Matrix choice = evaluate(rule.parts[0], values_);
      const double first = choice.at(choice.rows == 1 ? 0 : i, choice.columns == 1 ? 0 : j);
      return through(rule.parts[first != 0 ? 1 : 2], i, j, own);
    }
    if (name == "diagonal_sum") return diagonal(rule, own);
    if (name.ends_with("softmax")) return share(rule, i, j, own);
    if (name.ends_with("sum") || name.ends_with("mean") || name.ends_with("max"))
      return fold(rule, i, j, own);
    if (name == "relu") {
      const Text inner = text(rule.parts[0], i, j);
      return inner ? Text("max(0, " + *inner + ")") : std::nullopt;
    }
    if (name == "minimum") {
      const Text a = text(rule.parts[0], i, j), b = text(rule.parts[1], i, j);
      return a && b ? Text("min(" + *a + ", " + *b + ")") : std::nullopt;
    }
    for (const char* known : {"identity", "pick", "count"})  // a number that is plain to see
      if (name == known) return plain_text(evaluate(rule, values_).at(i, j));
    if (name == "repeat") return through(rule.parts[0], 0, j, own);
    for (const char* silent : {"concat", "stack", "interleave", "row_median", "causal", "positive"})
      if (name == silent) return std::nullopt;
    const Text inner = text(rule.parts[0], i, j);
    return inner ? Text((name == "sqrt" ? "√" : name) + in_parentheses(*inner)) : std::nullopt;
  }

  // A negative number has its own already.
  static std::string in_parentheses(const std::string& text) {
    const bool has = text.starts_with('(') && text.find(')') == text.size() - 1;
    return has ? text : "(" + text + ")";
  }

  Text fold(const Rule& rule, int64_t i, int64_t j, int& own) const {
    const auto places = seen(rule, i, j);
    if (static_cast<int64_t>(places.size()) > kTermsByHand) return std::nullopt;
    const bool largest = rule.name.ends_with("max"), mean = rule.name.ends_with("mean");
    std::string out;
    for (const auto& [r, c] : places) {
      if (largest && std::isinf(evaluate(rule.parts[0], values_).at(r, c))) continue;  // hidden
      const Text one = text(rule.parts[0], r, c, largest ? kSum : kProduct);
      if (!one) return std::nullopt;
      out += (out.empty() ? "" : largest ? ", " : " + ") + *one;
    }
    if (largest) return "max(" + out + ")";
    own = mean ? kProduct : places.size() > 1 ? kSum : strength(rule.parts[0]);
    return mean ? "(" + out + ") / " + std::to_string(places.size()) : out;
  }

  Text diagonal(const Rule& rule, int& own) const {
    const Matrix whole = evaluate(rule.parts[0], values_);
    const auto offset = static_cast<int64_t>(evaluate(rule.parts[1], values_).at(0, 0));
    std::string out;
    int64_t terms = 0;
    for (int64_t i = 0; i < whole.rows; ++i) {
      if (i + offset < 0 || i + offset >= whole.columns) continue;
      const Text one = text(rule.parts[0], i, i + offset, kProduct);
      if (!one || ++terms > kTermsByHand) return std::nullopt;
      out += (out.empty() ? "" : " + ") + *one;
    }
    own = terms > 1 ? kSum : kProduct;
    return out.empty() ? std::nullopt : Text(out);
  }

  Text share(const Rule& rule, int64_t i, int64_t j, int& own) const {
    constexpr double kLargest = 30;  // exp of more would not be written by hand
    const Matrix scores = evaluate(rule.parts[0], values_);
    if (scores.columns > kTermsByHand) return std::nullopt;
    std::string total;
    for (int64_t c = 0; c < scores.columns; ++c) {
      if (std::isinf(scores.at(i, c))) continue;
      const Text one = text(rule.parts[0], i, c);
      if (!one || std::abs(scores.at(i, c)) > kLargest) return std::nullopt;
      total += (total.empty() ? "exp" : " + exp") + in_parentheses(*one);
    }
    const Text own_score = text(rule.parts[0], i, j);
    if (!own_score) return std::nullopt;
    own = kProduct;
    return "exp" + in_parentheses(*own_score) + " / (" + total + ")";
  }

  const Values& values_;
  const EntryText& number_;
};

}  // namespace

std::string rule_text(const Rule& rule) { return CodeWriter(nullptr).text(rule); }

std::string python_text(const Rule& rule, Library library) {
  return CodeWriter(&library).text(rule);
}

std::optional<std::string> entry_text(const Rule& rule, int64_t i, int64_t j, const Values& values,
                                      const EntryText& number) {
  const HandWriter writer(values, number);
  if (rule.is("interleave")) return writer.text(rule.parts[static_cast<size_t>(j % 2)], i, j / 2);
  if (!rule.is("concat")) return writer.text(rule, i, j);
  for (const Rule& part : rule.parts) {
    const int64_t columns = evaluate(part, values).columns;
    if (j < columns) return writer.text(part, i, j);
    j -= columns;
  }
  return std::nullopt;
}

}  // namespace jogak
