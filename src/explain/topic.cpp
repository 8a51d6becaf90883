#include "explain/topic.h"

#include <cmath>

namespace jogak {
namespace {

// Replaces every `open N close` by parts[N].
std::string replaced(std::string_view pattern, const Parts& parts, char open, char close) {
  std::string out;
  for (size_t at = 0; at < pattern.size(); ++at) {
    const bool marker = pattern[at] == open && at + 2 < pattern.size() && pattern[at + 1] >= '0' &&
                        pattern[at + 1] <= '9' && pattern[at + 2] == close;
    if (!marker) {
      out += pattern[at];
      continue;
    }
    out += parts.at(static_cast<size_t>(pattern[at + 1] - '0'));
    at += 2;
  }
  return out;
}

std::string python_row(std::span<const double> row) {
  Parts parts;
  for (const double x : row) parts.push_back(exact_text(x));
  return "[" + joined(parts, ", ") + "]";
}

constexpr std::string_view kNumpyHeading = R"(import numpy as np


def show(name, value):
    print(name, "=", np.round(value, #0#).tolist())
)";

constexpr std::string_view kTorchHeading = R"(import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)


def show(name, value):
    value = torch.as_tensor(value).detach().double()
    print(name, "=", torch.round(value, decimals=#0#).tolist())
)";

}  // namespace

std::string joined(const Parts& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

std::string code_heading(std::string_view library, int digits) {
  return replaced(library == "numpy" ? kNumpyHeading : kTorchHeading, {std::to_string(digits)}, '#',
                  '#');
}

std::string filled(std::string_view pattern, const Parts& parts) {
  return replaced(pattern, parts, '{', '}');
}

Step& add_step(Lesson& lesson, const StepWords& words, const Parts& parts) {
  Step step;
  step.name = words.name;
  step.title = words.title(lesson.lang);
  step.text = filled(words.text(lesson.lang), parts);
  step.formula = words.formula;
  return lesson.steps.emplace_back(std::move(step));
}

void set_code(Lesson& lesson, std::span<const CodeBlock> blocks, const Parts& parts, int digits) {
  lesson.numpy = code_heading("numpy", digits);
  lesson.pytorch = code_heading("pytorch", digits);
  for (const CodeBlock& block : blocks) {
    const std::string comment = text_of("\n\n# ", block.comment(lesson.lang), "\n");
    const std::string_view torch = block.pytorch.empty() ? block.numpy : block.pytorch;
    lesson.numpy += comment + replaced(block.numpy, parts, '#', '#');
    lesson.pytorch += comment + replaced(torch, parts, '#', '#');
  }
  lesson.numpy += "\n";
  lesson.pytorch += "\n";
}

std::string python_matrix(const Matrix& m) {
  Parts rows;
  for (int64_t i = 0; i < m.rows; ++i) rows.push_back(python_row(m.row(i)));
  return "[" + joined(rows, ", ") + "]";
}

std::string python_vector(const Matrix& m) { return python_row(m.row(0)); }

Parts labels(std::string_view letter, int64_t count, int64_t first) {
  Parts out;
  for (int64_t i = 0; i < count; ++i) out.push_back(text_of(letter, first + i));
  return out;
}

std::string term(double value, Source source) {
  const std::string text = source == Source::given ? exact_text(value) : plain_text(value);
  return text.starts_with('-') ? "(" + text + ")" : text;
}

std::string products_text(std::span<const double> a, Source a_source, std::span<const double> b,
                          Source b_source) {
  Parts parts;
  for (size_t i = 0; i < a.size(); ++i)
    parts.push_back(term(a[i], a_source) + "·" + term(b[i], b_source));
  return joined(parts, " + ");
}

std::string sum_text(std::span<const double> a, Source source) {
  Parts parts;
  for (const double x : a) parts.push_back(term(x, source));
  return joined(parts, " + ");
}

Table row_table(std::string name, std::string caption, Matrix values, Parts columns) {
  return {std::move(name), std::move(caption), std::move(values), {}, std::move(columns)};
}

Table number_table(std::string name, std::string caption, double value) {
  return row_table(std::move(name), std::move(caption), Matrix::row_of({value}), {});
}

const Matrix& input_or(const ExplainRequest& request, Lesson& lesson, const std::string& name,
                       const Matrix& example) {
  const auto given = request.inputs.find(name);
  return lesson.inputs[name] = given == request.inputs.end() ? example : given->second;
}

int64_t integer_or(const ExplainRequest& request, Lesson& lesson, const std::string& name,
                   int64_t example) {
  const Matrix standard = Matrix::row_of({static_cast<double>(example)});
  return std::llround(input_or(request, lesson, name, standard).at(0, 0));
}

}  // namespace jogak
