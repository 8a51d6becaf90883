#include <algorithm>

#include "base/error.h"
#include "look/alignment.h"
#include "look/shares.h"
#include "look/views.h"

namespace jogak {
void show_lens(const std::vector<LensLayer>& layers, const TokenNames& names,
               const std::function<std::string(int64_t)>& token, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  out.title = text_of(out.model_type, ko ? ": 로짓 렌즈" : ": logit lens");
  const int64_t T = layers.back().logits.dim(0), V = layers.back().logits.dim(1);
  DataTable table{
      "lens", ko ? "층마다 가장 그럴듯한 토큰" : "the likeliest token after each layer", {"layer"}};
  Picture p{.name = "lens", .title = ko ? "마지막 답의 확률" : "probability of the final answer"};
  p.x_title = ko ? "토큰" : "token", p.y_title = ko ? "층" : "layer";
  p.values = Matrix(static_cast<int64_t>(layers.size()), T);
  for (int64_t t = 0; t < T; ++t) {
    p.columns.push_back(t < static_cast<int64_t>(names.target.size())
                            ? visible_token(names.target[static_cast<size_t>(t)])
                            : std::to_string(t));
    table.columns.push_back(p.columns.back());
  }
  std::vector<int64_t> answers(static_cast<size_t>(T));
  for (size_t i = layers.size(); i-- > 0;) {  // the last says what the answers are
    const std::vector<float> logits = to_host<float>(layers[i].logits);
    std::vector<Json> row = {layers[i].name};
    for (int64_t t = 0; t < T; ++t) {
      const auto shares = shares_of(logits, t, V);
      const auto best = std::max_element(shares.begin(), shares.end()) - shares.begin();
      if (i + 1 == layers.size()) answers[static_cast<size_t>(t)] = best;
      row.emplace_back(visible_token(token(best)));
      p.values.at(static_cast<int64_t>(i), t) =
          shares[static_cast<size_t>(answers[static_cast<size_t>(t)])];
    }
    table.rows.insert(table.rows.begin(), std::move(row));
    p.rows.insert(p.rows.begin(), layers[i].name);
  }
  table.heads = table.columns;
  table.heads[0] = p.y_title;
  out.plates.push_back({std::move(p)});
  out.tables.push_back(std::move(table));
}

}  // namespace jogak
