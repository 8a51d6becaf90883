// One HTML file: the pictures as they are in SVG, the tables, the JSON, and a few lines of script
// that show the value under the pointer.
#include "base/error.h"
#include "draw/marks.h"
#include "draw/svg.h"
#include "look/inspection.h"

namespace jogak {
namespace {

constexpr std::string_view kStyle = R"(
body { font: 15px/1.5 "Noto Sans KR", "Nanum Gothic", "DejaVu Sans", sans-serif; margin: 24px;
  color: #222; background: #fff; }
h1 { font-size: 22px; } h2 { font-size: 16px; margin: 28px 0 6px; }
.plates { display: flex; flex-wrap: wrap; gap: 8px; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: 3px 10px; text-align: left; } th { border-bottom: 1px solid #999; }
tr:nth-child(odd) td { background: #f2f4f7; } td.number { text-align: right; }
#tip { position: fixed; display: none; background: #222; color: #fff; padding: 4px 8px;
  border-radius: 4px; font-size: 13px; pointer-events: none; white-space: pre; z-index: 2; }
)";

constexpr std::string_view kScript = R"(
const shown = JSON.parse(document.getElementById('data').textContent);
const tip = document.getElementById('tip');
const short = x => x === null ? '–' : Number(x.toPrecision(5)).toString();
const label = (list, i) => list.length > i ? list[i] : String(i);
document.querySelectorAll('svg[data-plate]').forEach(svg => {
  const p = shown.pictures[+svg.dataset.plate];
  const [x0, y0, w, h] = svg.dataset.grid.split(' ').map(Number);
  if (!(w > 0)) return;
  svg.addEventListener('mouseleave', () => tip.style.display = 'none');
  svg.addEventListener('mousemove', e => {
    const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
    const j = Math.floor(((e.clientX - box.left) / box.width * view.width - x0) / w);
    const i = h > 0 ? Math.floor(((e.clientY - box.top) / box.height * view.height - y0) / h) : 0;
    if (j < 0 || i < 0 || i >= p.values.length || j >= p.values[0].length) {
      tip.style.display = 'none';
      return;
    }
    tip.textContent = h > 0
      ? `${label(p.rows, i)} → ${label(p.columns, j)}: ${short(p.values[i][j])}`
      : p.values.map((row, s) => `${label(p.rows, s)} · ${label(p.columns, j)}: ${short(row[j])}`)
          .join('\n');
    tip.style.display = 'block';
    tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
    tip.style.top = (e.clientY + 16) + 'px';
  });
});
)";

std::string plate_html(const Plate& plate, size_t number, bool alone) {
  const Panel p = picture_panel(plate.picture, alone ? 900 : 460);
  const std::string w = svg_number(p.width), h = svg_number(p.height);
  return text_of("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", w, "\" height=\"", h,
                 "\" viewBox=\"0 0 ", w, " ", h, "\" data-plate=\"", number, "\" data-grid=\"",
                 p.corner.x, " ", p.corner.y, " ", p.cell.x, " ", p.cell.y, "\" role=\"img\">\n",
                 "<title>", xml_escaped(plate.picture.title), "</title>\n", p.body, "</svg>\n");
}

std::string table_html(const DataTable& table, Lang lang) {
  std::string out = text_of("<h2>", xml_escaped(table.title), "</h2>\n<table><tr>");
  for (const std::string& head : table_heads(table, lang))
    out += "<th>" + xml_escaped(head) + "</th>";
  out += "</tr>\n";
  for (size_t i = 0; i < table.rows.size(); ++i) {
    out += "<tr>";
    for (size_t j = 0; j < table.rows[i].size(); ++j)
      out += (table.rows[i][j].is_number() ? "<td class=\"number\">" : "<td>") +
             xml_escaped(table_cell(table, i, j)) + "</td>";
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

// JSON inside a page: no character of it can end the element it stands in.
std::string json_in_page(const Json& json) {
  std::string out;
  for (const char c : json.dump()) out += c == '<' ? "\\u003c" : std::string(1, c);
  return out;
}

}  // namespace

std::string to_html(const Inspection& shown) {
  const std::string title = xml_escaped(shown.title);
  std::string out = text_of("<!doctype html>\n<html lang=\"", lang_code(shown.lang),
                            "\"><head><meta charset=\"utf-8\">", kPageMark, "<title>", title,
                            "</title>\n<style>", kStyle, "</style></head>\n<body><h1>", title,
                            "</h1>\n<div id=\"tip\"></div>\n<div class=\"plates\">\n");
  for (size_t i = 0; i < shown.plates.size(); ++i)
    out += plate_html(shown.plates[i], i, shown.plates.size() == 1);
  out += "</div>\n";
  for (const DataTable& table : shown.tables) out += table_html(table, shown.lang);
  return text_of(out, "<script type=\"application/json\" id=\"data\">",
                 json_in_page(to_json(shown)), "</script>\n<script>", kScript,
                 "</script>\n</body></html>\n");
}

}  // namespace jogak
