#include "explain/sheet.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "explain/arithmetic.h"
#include "explain/python.h"

namespace jogak {
namespace {

constexpr std::string_view kSoftmax = R"(

def softmax(x):  # of each row; a row with nothing visible is 0
    top = x.max(axis=1, keepdims=True)
    e = np.exp(x - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=1, keepdims=True)
    return e / np.where(total == 0, 1, total)
)";

void collect_names(const Rule& rule, std::vector<std::string>& out) {
  if (rule.kind == Rule::Kind::name) out.push_back(rule.name);
  for (const Rule& part : rule.parts) collect_names(part, out);
}

// Only moves numbers about, so that they can be repeated exactly.
bool rearranges(const Rule& rule) {
  if (rule.kind == Rule::Kind::name) return rule.name != "pi" && rule.name != "inf";
  const bool moves = rule.kind == Rule::Kind::transpose || rule.kind == Rule::Kind::slice ||
                     rule.is("concat") || rule.is("stack");
  return moves && std::all_of(rule.parts.begin(), rule.parts.end(), rearranges);
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string printed(const std::string& name) {
  return "\nshow(\"" + name + "\", " + python_name(name) + ")";
}

std::string assigned(const std::string& name, const Rule& rule, Library library) {
  return python_name(name) + " = " + python_text(rule, library);
}

}  // namespace

const Matrix& Sheet::of(const std::string& name) const { return values_.at(name); }

void Sheet::check_shape(const TopicInput& input, const Matrix& value, bool own) {
  if (input.shape.empty()) return;
  const int64_t found[] = {value.rows, value.columns};
  const char* const names[] = {" rows", " columns"};
  std::string_view rest = input.shape;
  for (int side = 0; side < 2; ++side) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view size = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const bool fixed = size[0] >= '0' && size[0] <= '9';
    const int64_t value_now = found[side];
    if (fixed) {
      const int64_t wanted = size[0] - '0';
      ensure<UsageError>(value_now == wanted, topic_.name, ": ", input.name, ": found ", value_now,
                         names[side], ", wanted ", wanted);
      continue;
    }
    const auto known = sizes_.emplace(size[0], Size{value_now, input.name}).first->second;
    ensure<UsageError>(known.value == value_now || known.input != input.name, topic_.name, ": ",
                       input.name, ": found shape ", shape_text(value), ", wanted a square");
    ensure<UsageError>(known.value == value_now, topic_.name, ": ", input.name, ": found ",
                       value_now, names[side], ", wanted ", known.value, " as in ", known.input,
                       own ? "" : " (these are the example's: give --", own ? "" : input.name,
                       own ? "" : " too)");
  }
}

void Sheet::define(const std::string& name, const Matrix& value) {
  values_[name] = value;
  unseen_.push_back(name);
}

// The user's, or the example's; also noted in the lesson's inputs.
const Matrix& Sheet::given(const std::string& name, const Matrix& example) {
  const auto own = request_.inputs.find(name);
  return lesson_.inputs[name] = own == request_.inputs.end() ? example : own->second;
}

const Matrix& Sheet::input(const std::string& name, const Matrix& example) {
  const auto wanted = std::find_if(topic_.inputs.begin(), topic_.inputs.end(),
                                   [&](const TopicInput& one) { return one.name == name; });
  ensure<Error>(wanted != topic_.inputs.end(), topic_.name, " takes no input ", name);
  const Matrix& value = given(name, example);
  check_shape(*wanted, value, request_.inputs.count(name) > 0);
  define(name, value);
  return values_.at(name);
}

Parts Sheet::words(int64_t rows, const Parts& example) const {
  const auto wanted = static_cast<size_t>(rows);
  if (!request_.words.empty()) {
    ensure<UsageError>(request_.words.size() == wanted, topic_.name, ": text: found ",
                       request_.words.size(), " words, wanted ", rows, ", one a row");
    return request_.words;
  }
  return example.size() == wanted ? example : labels("t", rows);
}

double Sheet::number(const std::string& name, double example) {
  return given(name, Matrix::row_of({example})).at(0, 0);
}

Matrix word_vectors(const Parts& words, int64_t width) {
  Matrix out(static_cast<int64_t>(words.size()), width);
  for (int64_t i = 0; i < out.rows; ++i) {
    uint64_t seed = 1;
    for (const char c : words[static_cast<size_t>(i)])
      seed = seed * 131 + static_cast<unsigned char>(c);
    Rng rng(seed);
    for (int64_t j = 0; j < width; ++j)
      out.at(i, j) = static_cast<double>(static_cast<int64_t>(rng.below(21)) - 10) / 10;
  }
  return out;
}

Matrix Sheet::word_rows(const Matrix& example) const {
  return request_.words.empty() ? example : word_vectors(request_.words, example.columns);
}

int64_t Sheet::integer(const std::string& name, int64_t example) {
  return std::llround(number(name, static_cast<double>(example)));
}

void Sheet::constant(const std::string& name, const Matrix& value) { define(name, value); }

void Sheet::step(const StepWords& words, const Parts& parts) {
  Step& step = lesson_.steps.emplace_back();
  step.name = words.name;
  step.title = in(words.title);
  step.text = filled(words.text(lesson_.lang), parts);
  step.formula = words.formula;
  comment_ = "\n\n# " + current().title + "\n";
  step_inputs_.clear();
  step_results_.clear();
  own_shape_ = false;
}

void Sheet::shape(std::string text) {
  current().shape = std::move(text);
  own_shape_ = true;
}

void Sheet::product_shape(const std::string& a, const std::string& b) {
  const Matrix &x = of(a), &y = of(b);
  shape(text_of("[", x.rows, ",", x.columns, "]·[", y.rows, ",", y.columns, "] -> [", x.rows, ",",
                y.columns, "]"));
}

void Sheet::work(std::string line) { current().work.push_back(std::move(line)); }

void Sheet::add_code(const std::string& numpy, const std::string& pytorch) {
  numpy_ += comment_ + numpy + "\n";
  pytorch_ += comment_ + pytorch + "\n";
  comment_.clear();
}

void Sheet::show(const std::string& name, std::string caption, TableStyle style) {
  current().tables.push_back({name, std::move(caption), of(name), std::move(style.rows),
                              std::move(style.columns), kAsGiven});
  const std::string numbers = python_matrix(of(name)), variable = python_name(name);
  std::erase(unseen_, name);
  add_code(variable + " = np.array(" + numbers + ", dtype=float)" + printed(name),
           variable + " = torch.tensor(" + numbers + ", dtype=torch.float64)" + printed(name));
}

std::string Sheet::entry(const std::string& name, int64_t i, int64_t j) const {
  const double value = of(name).at(i, j);
  const auto digits = digits_.find(name);
  const std::string text =
      digits == digits_.end() ? exact_text(value) : plain_text(value, digits->second);
  return text.starts_with('-') ? "(" + text + ")" : text;
}

void Sheet::add_work(Step& step, const Table& table, const Rule& rule, const TableStyle& style) {
  if (story()) return;
  const Matrix& m = table.values;
  const int64_t row = style.row < 0 ? m.rows - 1 : std::min(style.row, m.rows - 1);
  const int64_t column = m.columns == 1 && style.row == 0 ? 1 : 0;  // down a single column
  const int64_t lines = std::min(style.lines, column ? m.rows : m.columns);
  const EntryText text = [&](const std::string& name, int64_t i, int64_t j) {
    return entry(name, i, j);
  };
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t i = column ? line : row, j = column ? 0 : line;
    if (table.digits == kAsGiven) return;
    const auto left = entry_text(rule, i, j, values_, text);
    if (!left || !std::isfinite(m.at(i, j))) continue;
    const std::string right = plain_text(m.at(i, j), table.digits);
    if (*left == right || *left == "(" + right + ")") continue;  // nothing was computed
    const bool named = m.size() > 1 && rule.kind == Rule::Kind::binary && rule.name == "@";
    const std::string place = m.rows > 1 ? text_of(i + 1, ",", j + 1) : std::to_string(j + 1);
    step.work.push_back((named ? table.name + "_" + place + " = " : "") + *left + " = " + right);
  }
}

// Nothing is computed from numbers a reader has not seen.
Rule Sheet::parsed(const std::string& rule) const {
  Rule out = parse_rule(rule);
  std::vector<std::string> names;
  collect_names(out, names);
  for (const std::string& name : names)
    ensure<Error>(std::find(unseen_.begin(), unseen_.end(), name) == unseen_.end(), topic_.name,
                  ": ", name, " is used before it is shown");
  return out;
}

const Matrix& Sheet::table(const std::string& name, std::string caption, const std::string& rule,
                           TableStyle style) {
  const Rule own = parsed(rule), whole = with_replaced(own, hidden_);
  Table table{name,       std::move(caption), evaluate(whole, values_),
              style.rows, style.columns,      style.digits};
  table.rule = rule_text(whole);
  std::vector<std::string> names;
  collect_names(whole, names);
  const bool exact = rearranges(whole) && std::none_of(names.begin(), names.end(), [&](auto& one) {
                       return digits_.count(one) > 0;
                     });
  if (exact)
    table.digits = kAsGiven;
  else
    digits_[name] = style.digits;
  add_work(current(), table, whole, style);
  add_shape(name, whole, table.values);
  values_[name] = table.values;
  std::erase(unseen_, name);
  most_digits_ = std::max(most_digits_, style.digits);
  current().tables.push_back(std::move(table));
  add_code(assigned(name, own, Library::numpy) + printed(name),
           assigned(name, own, Library::pytorch) + printed(name));
  return values_.at(name);
}

const Matrix& Sheet::coded(const std::string& name, std::string caption, const Matrix& values,
                           const std::string& numpy, const std::string& pytorch, TableStyle style) {
  current().tables.push_back({name, std::move(caption), values, std::move(style.rows),
                              std::move(style.columns), style.digits});
  digits_[name] = style.digits;
  most_digits_ = std::max(most_digits_, style.digits);
  add_code(numpy + printed(name), pytorch + printed(name));
  return values_[name] = values;
}

// A step whose topic gives no shapes: those of all that goes into it, and of its last result.
void Sheet::add_shape(const std::string& name, const Rule& rule, const Matrix& result) {
  const auto holds_name = [](const Parts& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  std::vector<std::string> names;
  collect_names(rule, names);
  for (const std::string& one : names)
    if (values_.count(one) && !holds_name(step_results_, one) && !holds_name(step_inputs_, one))
      step_inputs_.push_back(one);
  step_results_.push_back(name);
  if (story() || own_shape_ || step_inputs_.empty()) return;
  const auto shape = [](const Matrix& m) { return m.size() == 1 ? "[]" : shape_text(m); };
  Parts shapes;
  for (const std::string& one : step_inputs_) shapes.push_back(shape(of(one)));
  current().shape = joined(shapes, ", ") + " -> " + shape(result);
}

void Sheet::let(const std::string& name, const std::string& rule) {
  const Rule own = parsed(rule);
  hidden_[name] = with_replaced(own, hidden_);
  add_code(assigned(name, own, Library::numpy), assigned(name, own, Library::pytorch));
}

void Sheet::library(const std::string& pytorch) {
  pytorch_ += comment_ + pytorch + "\n";
  comment_.clear();
}

void Sheet::read(const std::string& pytorch) {
  for (size_t at = 0; at < pytorch.size();) {
    const size_t end = std::min(pytorch.find('\n', at), pytorch.size());
    current().code.push_back(pytorch.substr(at, end - at));
    at = end + 1;
  }
  library(pytorch);
}

void Sheet::replace_code(std::string numpy, std::string pytorch) {
  whole_numpy_ = std::move(numpy);
  whole_pytorch_ = std::move(pytorch);
}

Picture& Sheet::heatmap(const std::string& name, const Matrix& values, const PictureWords& words,
                        Parts rows, Parts columns) {
  Picture picture{Picture::Kind::heatmap,
                  name,
                  in(words.title),
                  in(words.x),
                  in(words.y),
                  values,
                  std::move(rows),
                  std::move(columns)};
  const double least = *std::min_element(values.values.begin(), values.values.end());
  const double size = std::max(-least, plain::largest(values));
  if (size > 1 || least < 0) picture.high = size > 0 ? std::ceil(size * 10) / 10 : 1;
  picture.diverging = least < 0;  // colours for both signs only where there are both
  if (picture.diverging) picture.low = -picture.high;
  lesson_.pictures.push_back(request_.transpose ? transposed(picture) : picture);
  return lesson_.pictures.back();
}

Picture& Sheet::chart(Picture::Kind kind, const std::string& name, const Matrix& values,
                      const PictureWords& words, Parts series, Parts columns) {
  Picture picture{kind,        name,   in(words.title),   in(words.x),
                  in(words.y), values, std::move(series), std::move(columns)};
  picture.low = std::min(0.0, *std::min_element(values.values.begin(), values.values.end()));
  picture.high = std::max(0.0, plain::largest(values));
  if (picture.high <= picture.low) picture.high = picture.low + 1;
  lesson_.pictures.push_back(std::move(picture));
  return lesson_.pictures.back();
}

void Sheet::finish() {
  std::string numpy = code_heading(Library::numpy, most_digits_),
              pytorch = code_heading(Library::pytorch, most_digits_);
  if (holds(numpy_, "softmax(")) numpy += kSoftmax;
  if (holds(numpy_, "math.")) numpy = "import math\n\n" + numpy;
  if (holds(pytorch_, "math.")) pytorch = "import math\n\n" + pytorch;
  lesson_.numpy = whole_numpy_.empty() ? numpy + numpy_ : whole_numpy_;
  lesson_.pytorch = whole_pytorch_.empty() ? pytorch + pytorch_ : whole_pytorch_;
}

}  // namespace jogak
