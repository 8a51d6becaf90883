#include "explain/rule_functions.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "explain/arithmetic.h"

namespace jogak {
namespace {

using Arguments = std::vector<Matrix>;

template <double (*F)(double)>
Matrix each(const Arguments& a) {
  Matrix out = a[0];
  for (double& x : out.values) x = F(x);
  return out;
}

double positive_part(double x) { return x > 0 ? x : 0; }
double is_positive(double x) { return x > 0 ? 1 : 0; }
double the_exp(double x) { return std::exp(x); }
double the_log(double x) { return std::log(x); }
double the_sqrt(double x) { return std::sqrt(x); }
double the_sin(double x) { return std::sin(x); }
double the_cos(double x) { return std::cos(x); }
double the_tanh(double x) { return std::tanh(x); }
double the_erf(double x) { return std::erf(x); }
double the_abs(double x) { return std::abs(x); }

// Folds every row, every column or everything, starting from the first entry.
enum class Over : uint8_t { all, rows, columns };
template <Over O, class F>
Matrix folded(const Matrix& a, F f) {
  Matrix out(O == Over::rows ? a.rows : 1, O == Over::columns ? a.columns : 1);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j) {
      double& x = out.at(O == Over::rows ? i : 0, O == Over::columns ? j : 0);
      const bool first = (O == Over::rows || i == 0) && (O == Over::columns || j == 0);
      x = first ? a.at(i, j) : f(x, a.at(i, j));
    }
  return out;
}

template <Over O>
Matrix sum(const Arguments& a) {
  return folded<O>(a[0], [](double x, double y) { return x + y; });
}
template <Over O>
Matrix largest(const Arguments& a) {
  return folded<O>(a[0], [](double x, double y) { return std::max(x, y); });
}
template <Over O>
Matrix mean(const Arguments& a) {
  const Matrix total = sum<O>(a);
  return plain::divided(total,
                        static_cast<double>(a[0].size()) / static_cast<double>(total.size()));
}

double entry(const Matrix& m, int64_t i, int64_t j) {
  return m.at(m.rows == 1 ? 0 : i, m.columns == 1 ? 0 : j);
}

Matrix chosen(const Arguments& a) {
  Matrix out(std::max({a[0].rows, a[1].rows, a[2].rows}),
             std::max({a[0].columns, a[1].columns, a[2].columns}));
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j)
      out.at(i, j) = entry(entry(a[0], i, j) != 0 ? a[1] : a[2], i, j);
  return out;
}

Matrix smaller(const Arguments& a) {
  Matrix out(std::max(a[0].rows, a[1].rows), std::max(a[0].columns, a[1].columns));
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j)
      out.at(i, j) = std::min(entry(a[0], i, j), entry(a[1], i, j));
  return out;
}

Matrix concatenated(const Arguments& a) {
  Matrix out(a[0].rows, 0);
  for (const Matrix& m : a) {
    ensure<ShapeError>(m.rows == out.rows, "concat: found ", m.rows, " and ", out.rows, " rows");
    out.columns += m.columns;
  }
  for (int64_t i = 0; i < out.rows; ++i)
    for (const Matrix& m : a) {
      const auto row = m.row(i);
      out.values.insert(out.values.end(), row.begin(), row.end());
    }
  return out;
}

Matrix stacked(const Arguments& a) {
  Matrix out(0, a[0].columns);
  for (const Matrix& m : a) {
    ensure<ShapeError>(m.columns == out.columns, "stack: found ", m.columns, " and ", out.columns,
                       " columns");
    out.rows += m.rows;
    out.values.insert(out.values.end(), m.values.begin(), m.values.end());
  }
  return out;
}

Matrix causal(const Arguments& a) {
  Matrix out(a[0].rows, a[0].columns);
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j <= std::min(i, out.columns - 1); ++j) out.at(i, j) = 1;
  return out;
}

Matrix diagonal_sum(const Arguments& a) {
  const auto offset = static_cast<int64_t>(a[1].at(0, 0));
  Matrix out(1, 1);
  for (int64_t i = 0; i < a[0].rows; ++i)
    if (i + offset >= 0 && i + offset < a[0].columns) out.at(0, 0) += a[0].at(i, i + offset);
  return out;
}

Matrix picked(const Arguments& a) {
  Matrix out(a[0].rows, a[0].columns);
  for (int64_t i = 0; i < out.rows; ++i) {
    const auto row = a[0].row(i);
    out.at(i, std::max_element(row.begin(), row.end()) - row.begin()) = 1;
  }
  return out;
}

Matrix identity(const Arguments& a) {
  Matrix out(a[0].columns, a[0].columns);
  for (int64_t i = 0; i < out.rows; ++i) out.at(i, i) = 1;
  return out;
}

Matrix counted(const Arguments& a) {
  Matrix out(1, static_cast<int64_t>(a[0].at(0, 0)));
  for (int64_t j = 0; j < out.columns; ++j) out.at(0, j) = static_cast<double>(j);
  return out;
}

Matrix interleaved(const Arguments& a) {
  ensure<ShapeError>(a[0].rows == a[1].rows && a[0].columns == a[1].columns, "interleave: found ",
                     shape_text(a[0]), " and ", shape_text(a[1]));
  Matrix out(a[0].rows, 2 * a[0].columns);
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j)
      out.at(i, j) = a[static_cast<size_t>(j % 2)].at(i, j / 2);
  return out;
}

Matrix repeated(const Arguments& a) {
  Matrix out(a[1].rows, a[0].columns);
  for (int64_t i = 0; i < out.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j) out.at(i, j) = a[0].at(0, j);
  return out;
}

Matrix row_medians(const Arguments& a) {
  Matrix out(a[0].rows, 1);
  for (int64_t i = 0; i < out.rows; ++i) {
    const auto row = a[0].row(i);
    out.at(i, 0) = plain::median(Matrix::row_of({row.begin(), row.end()}));
  }
  return out;
}

Matrix softmax(const Arguments& a) { return plain::softmax(a[0]); }

constexpr RuleFunction kFunctions[] = {
    {"exp", "np.exp(#0#)", "torch.exp(#0#)", each<the_exp>, 1, true},
    {"log", "np.log(#0#)", "torch.log(#0#)", each<the_log>, 1, true},
    {"sqrt", "np.sqrt(#0#)", "torch.sqrt(#0#)", each<the_sqrt>, 1, true},
    {"sin", "np.sin(#0#)", "torch.sin(#0#)", each<the_sin>, 1, true},
    {"cos", "np.cos(#0#)", "torch.cos(#0#)", each<the_cos>, 1, true},
    {"tanh", "np.tanh(#0#)", "torch.tanh(#0#)", each<the_tanh>, 1, true},
    {"erf", "np.vectorize(math.erf)(#0#)", "torch.erf(#0#)", each<the_erf>, 1, true},
    {"abs", "np.abs(#0#)", "torch.abs(#0#)", each<the_abs>},
    {"relu", "np.maximum(#0#, 0)", "F.relu(#0#)", each<positive_part>},
    {"positive", "(np.asarray(#0#) > 0) * 1.0", "(torch.as_tensor(#0#) > 0) * 1.0",
     each<is_positive>},
    {"minimum", "np.minimum(#0#, #1#)", "torch.minimum(torch.as_tensor(#0#), torch.as_tensor(#1#))",
     smaller, 2},
    {"softmax", "softmax(#0#)", "F.softmax(#0#, dim=1)", softmax},
    // A row with nothing visible is 0.
    {"masked_softmax", "softmax(#0#)", "F.softmax(#0#, dim=1).nan_to_num(0)", softmax},
    {"sum", "np.sum(#0#)", "torch.sum(#0#)", sum<Over::all>},
    {"row_sum", "np.sum(#0#, axis=1, keepdims=True)", "torch.sum(#0#, dim=1, keepdim=True)",
     sum<Over::rows>},
    {"column_sum", "np.sum(#0#, axis=0, keepdims=True)", "torch.sum(#0#, dim=0, keepdim=True)",
     sum<Over::columns>},
    {"mean", "np.mean(#0#)", "torch.mean(#0#)", mean<Over::all>},
    {"row_mean", "np.mean(#0#, axis=1, keepdims=True)", "torch.mean(#0#, dim=1, keepdim=True)",
     mean<Over::rows>},
    {"column_mean", "np.mean(#0#, axis=0, keepdims=True)", "torch.mean(#0#, dim=0, keepdim=True)",
     mean<Over::columns>},
    {"max", "np.max(#0#)", "torch.max(#0#)", largest<Over::all>},
    {"row_max", "np.max(#0#, axis=1, keepdims=True)", "torch.amax(#0#, dim=1, keepdim=True)",
     largest<Over::rows>},
    {"where", "np.where(#0# != 0, #1#, #2#)", "torch.where(#0# != 0, #1#, #2#)", chosen, 3},
    {"concat", "np.concatenate([#*#], axis=1)", "torch.cat([#*#], dim=1)", concatenated, 0},
    {"stack", "np.concatenate([#*#], axis=0)", "torch.cat([#*#], dim=0)", stacked, 0},
    {"diagonal_sum", "np.trace(#0#, offset=#1#)", "torch.diagonal(#0#, offset=#1#).sum()",
     diagonal_sum, 2},
    {"pick", "np.eye(#0#.shape[1])[#0#.argmax(axis=1)]",
     "F.one_hot(#0#.argmax(dim=1), #0#.shape[1]).double()", picked},  // 1 at a row's largest
    {"row_median", "np.median(#0#, axis=1, keepdims=True)",
     "torch.quantile(#0#, 0.5, dim=1, keepdim=True)", row_medians},
    {"identity", "np.eye(#0#.shape[1])", "torch.eye(#0#.shape[1])", identity},  // as wide as #0#
    {"count", "np.arange(#0#, dtype=float)[None]", "torch.arange(#0#, dtype=torch.float64)[None]",
     counted},  // 0, 1, ..., #0# - 1
    {"interleave", "np.stack([#0#, #1#], axis=2).reshape(len(#0#), -1)",
     "torch.stack([#0#, #1#], dim=2).flatten(1)", interleaved, 2},
    {"repeat", "np.repeat(#0#, len(#1#), axis=0)", "#0#.repeat(len(#1#), 1)", repeated, 2},
    {"causal", "np.tril(np.ones_like(#0#))", "torch.tril(torch.ones_like(#0#))", causal},
};

}  // namespace

std::span<const RuleFunction> rule_functions() { return kFunctions; }

const RuleFunction& find_rule_function(std::string_view name) {
  for (const RuleFunction& function : kFunctions)
    if (function.name == name) return function;
  fail<Error>("rule: found function ", name, ", which is not known");
}

}  // namespace jogak
