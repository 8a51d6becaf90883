// What `jogak inspect` and `jogak ablate` show, as data: pictures, tables and facts. Commands fill
// it; to_text, to_json, to_svg and to_html show it. docs/inspect.md documents the JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/lang.h"
#include "draw/picture.h"

namespace jogak {

// Rows of numbers, words and nulls. `name` and `columns` are the same in every language.
struct DataTable {
  std::string name, title;
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows = {};
  std::vector<std::string> heads = {};  // over the columns, for people; empty: column_title's
  std::map<size_t, std::vector<std::string>> spoken = {};  // of a column: cells as people read them
};

// A picture and what it shows: layer, head, kind.
struct Plate {
  Picture picture;
  std::vector<Json::Member> about = {};
};

struct Inspection {
  std::string what;        // "attention"
  std::string title;       // for people
  std::string model_type;  // "gpt2"
  Lang lang = Lang::en;
  std::vector<Json::Member> facts = {};  // tokens, loss, counts: by name
  std::vector<DataTable> tables = {};
  std::vector<Plate> plates = {};
};

std::string to_text(const Inspection& shown, bool colour, int columns);
Json to_json(const Inspection& shown);         // "schema": 1
std::string to_svg(const Inspection& shown);   // every plate, then every table
std::string to_html(const Inspection& shown);  // one file that needs no other

std::string cell_text(const Json& cell);  // numbers with six digits that count; null: –

// What people see of a table: the names of its columns in their language, and its cells.
std::string column_title(const std::string& column, Lang lang);
std::vector<std::string> table_heads(const DataTable& table, Lang lang);
std::string table_cell(const DataTable& table, size_t row, size_t column);

}  // namespace jogak
