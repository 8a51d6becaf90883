#include "look/alignment.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "look/alignment_parts.h"

namespace jogak {
namespace alignment {

Words title() { return {"번역의 토큰이 원문의 어디를 보았는가", "Where each target token looked"}; }
Words source_words() { return {"원문", "source"}; }
Words target_words() { return {"번역", "target"}; }

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

}  // namespace alignment

std::string visible_token(std::string_view token) {
  std::string out;
  const std::string text = utf8::lossy(token);
  for (size_t at = 0; at < text.size();) {
    const utf8::Decoded next = utf8::decode(text, at);
    const char32_t c = next.code;
    if (c == ' ' || c == 0xA0 || c == 0x3000 || c == 0x2581 || (c >= 0x2000 && c <= 0x200A))
      out += "␣";
    else if (c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029)
      out += "⏎";
    else if (c == '\t')
      out += "⇥";
    else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
             (c >= 0x2066 && c <= 0x2069))  // the last two turn the direction of a line
      out += "·";
    else
      utf8::append(out, c);
    at += static_cast<size_t>(next.size);
  }
  if (out.empty()) return "∅";
  return display_width(out) == 0 ? "◌" + out : out;
}

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
