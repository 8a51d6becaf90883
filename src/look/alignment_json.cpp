#include "base/utf8.h"
#include "look/alignment_parts.h"

namespace jogak {

Json alignment_json(const Alignment& a) {
  const alignment::View view = alignment::view_of(a);
  Json rows = Json::array();
  for (int64_t i = 0; i < a.weights.rows; ++i) rows.push(Json::list(a.weights.row(i)));
  Json out = Json::object();
  const auto texts = [](const std::vector<std::string>& tokens) {
    Json list = Json::array();
    for (const std::string& token : tokens) list.push(utf8::lossy(token));
    return list;
  };
  out.set("source", texts(a.source)).set("target", texts(a.target)).set("weights", rows);
  return std::move(out.set("sums", Json::list(view.sums)));
}

}  // namespace jogak
