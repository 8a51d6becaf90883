#include "look/inspection.h"

#include <charconv>
#include <cmath>

#include "base/format.h"
#include "draw/picture_text.h"
#include "look/alignment.h"

namespace jogak {
namespace {

// Tokens along both sides: the table with the tokens in its head. Elsewhere plain shades.
std::string plate_text(const Plate& plate, bool colour, int columns, Lang lang) {
  const Picture& p = plate.picture;
  const bool named = p.kind == Picture::Kind::heatmap && !p.diverging && !p.columns.empty() &&
                     !p.rows.empty() && p.values.columns <= 64;
  if (!named) return picture_text(p, colour, columns);
  Alignment table{p.columns, p.rows, p.values};
  table.sums = p.name.starts_with("attention");
  table.title = p.title, table.source_title = p.x_title, table.target_title = p.y_title;
  return alignment_text(table, colour, columns, lang);
}

std::string table_text(const DataTable& table, Lang lang) {
  TextTable out(table_heads(table, lang));
  for (size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<std::string> cells;
    for (size_t j = 0; j < table.rows[i].size(); ++j) cells.push_back(table_cell(table, i, j));
    out.row(std::move(cells));
  }
  return (table.title.empty() ? "" : table.title + "\n") + out.text();
}

Json table_json(const DataTable& table) {
  Json rows = Json::array();
  for (const std::vector<Json>& row : table.rows) rows.push(Json::array(row));
  Json out = Json::object();
  out.set("name", table.name).set("title", table.title);
  out.set("columns", Json::list(table.columns));
  return std::move(out.set("rows", std::move(rows)));
}

}  // namespace

std::string cell_text(const Json& cell) {
  if (cell.is_null()) return "–";
  if (cell.is_string()) return cell.text();
  if (!cell.is_number()) return cell.dump();
  if (cell.is_integer()) return std::to_string(cell.integer());
  const double x = cell.number();
  if (!std::isfinite(x)) return "–";
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::general, 5).ptr;
  const std::string plain(buffer, end);
  return plain.find('e') == std::string::npos && std::abs(x) < 1e5 && std::abs(x) >= 1e-3
             ? fixed(x, 4)
             : plain;
}

std::string to_text(const Inspection& shown, bool colour, int columns) {
  std::string out = shown.title + "\n";
  for (const Plate& plate : shown.plates)
    if (plate.picture.kind != Picture::Kind::diagram)  // its table says the same
      out += "\n" + plate_text(plate, colour, columns, shown.lang);
  for (const DataTable& table : shown.tables) out += "\n" + table_text(table, shown.lang);
  return out;
}

Json to_json(const Inspection& shown) {
  Json out = Json::object(), tables = Json::array(), plates = Json::array();
  out.set("schema", 1).set("what", shown.what).set("title", shown.title);
  out.set("model_type", shown.model_type).set("lang", lang_code(shown.lang));
  for (const auto& [name, value] : shown.facts) out.set(name, value);
  for (const Plate& plate : shown.plates) {
    Json one = picture_json(plate.picture);
    for (const auto& [name, value] : plate.about) one.set(name, value);
    plates.push(std::move(one));
  }
  for (const DataTable& table : shown.tables) tables.push(table_json(table));
  out.set("pictures", std::move(plates));
  return std::move(out.set("tables", std::move(tables)));
}

}  // namespace jogak
