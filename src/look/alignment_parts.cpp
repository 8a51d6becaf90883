#include "look/alignment_parts.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace jogak::alignment {

Words title() { return {"번역의 토큰이 원문의 어디를 보았는가", "Where each target token looked"}; }
Words source_words() { return {"원문: 키", "source: key"}; }
Words target_words() { return {"쓰는 토큰: 쿼리", "token being written: query"}; }

View view_of(const Alignment& a) {
  const auto rows = static_cast<int64_t>(a.target.size());
  const auto columns = static_cast<int64_t>(a.source.size());
  ensure<ShapeError>(a.weights.rows == rows && a.weights.columns == columns,
                     "alignment: found weights [", a.weights.rows, ",", a.weights.columns,
                     "], wanted [", rows, ",", columns, "]: target tokens, source tokens");
  View out;
  for (const std::string& token : a.source) out.source.push_back(visible_token(token));
  for (const std::string& token : a.target) out.target.push_back(visible_token(token));
  double largest = 0;
  for (int64_t i = 0; i < rows; ++i) {
    double& sum = out.sums.emplace_back(0);
    for (int64_t j = 0; j < columns; ++j) {
      const double weight = a.weights.at(i, j);
      ensure<Error>(std::isfinite(weight), "alignment: the weight of target token ", i + 1,
                    " for source token ", j + 1, " is not a finite number");
      sum += weight;
      largest = std::max(largest, weight);
    }
  }
  out.high = std::max(0.1, std::ceil(largest * 10 - 1e-6) / 10);
  return out;
}

}  // namespace jogak::alignment
