#include "explain/python.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "draw/numbers.h"
#include "explain/parts.h"

namespace jogak {
namespace {

std::string python_row(std::span<const double> row) {
  Parts parts;
  for (const double x : row) parts.push_back(exact_text(x));
  return "[" + joined(parts, ", ") + "]";
}

}  // namespace

std::string code_heading(Library library, int digits) {
  if (library == Library::numpy)
    return text_of(
        "import numpy as np\n\n\n"
        "def show(name, value):\n"
        "    print(name, \"=\", np.round(value, ",
        digits, ").tolist())\n");
  return text_of(
      "import torch\n"
      "import torch.nn.functional as F\n\n"
      "torch.set_default_dtype(torch.float64)\n\n\n"
      "def show(name, value):\n"
      "    value = torch.as_tensor(value).detach().double()\n"
      "    print(name, \"=\", torch.round(value, decimals=",
      digits, ").tolist())\n");
}

std::string python_matrix(const Matrix& m) {
  Parts rows;
  for (int64_t i = 0; i < m.rows; ++i) rows.push_back(python_row(m.row(i)));
  return "[" + joined(rows, ", ") + "]";
}

std::string python_vector(const Matrix& m) { return python_row(m.row(0)); }

std::string python_name(std::string_view table) {
  constexpr std::string_view kTaken[] = {"abs", "max", "min", "pow", "range", "round", "sum"};
  const bool taken = std::find(std::begin(kTaken), std::end(kTaken), table) != std::end(kTaken);
  return std::string(table) + (taken ? "_" : "");
}

}  // namespace jogak
