#include "data/labelled_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_set>

#include "base/error.h"
#include "base/json.h"
#include "base/random.h"
#include "data/line_data.h"
#include "data/table.h"

namespace jogak {
namespace {

void add(LabelledTexts& out, std::string text, std::optional<std::string> label, int64_t line) {
  ensure<FormatError>(!label || !label->empty(), out.name, ": line ", line,
                      ": found no label, wanted one");
  out.texts.push_back(std::move(text));
  if (label) out.labels.push_back(std::move(*label));
  out.lines.push_back(line);
}

LabelledTexts from_table(const std::string& file, const LabelColumns& columns) {
  LabelledTexts out{{}, {}, {}, file};
  TableOptions options = table_options_for(file);
  options.where_to_get = columns.where_to_get;
  std::optional<size_t> text, label;
  read_table(file, options, [&](const TableRow& row) {
    if (text)
      return add(out, row.cells[*text], label ? std::optional(row.cells[*label]) : std::nullopt,
                 row.line);
    const Columns header(row.cells, file);
    text = header.at(columns.text);
    if (!columns.label.empty()) label = header.at(columns.label);
  });
  ensure<FormatError>(text.has_value(), file, ": found nothing, wanted a header and rows");
  return out;
}

std::string label_text(const Fields& fields, const std::string& key) {
  const Json& value = fields.at(key);
  if (value.is_string()) return value.text();
  if (value.is_integer()) return std::to_string(value.integer());
  if (value.is_bool()) return value.boolean() ? "true" : "false";
  fields.wrong(value, key, "a string, a whole number, true or false");
}

LabelledTexts from_jsonl(const std::string& file, const LabelColumns& columns) {
  LabelledTexts out{{}, {}, {}, file};
  int64_t number = 0;
  for (const std::string& line : read_lines(file, columns.where_to_get, columns.longest)) {
    ++number;
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    const std::string place = text_of(file, ": line ", number);
    const Json json = parse_json(line, place);
    const Fields fields(json, place);
    add(out, fields.text(columns.text),
        columns.label.empty() ? std::nullopt : std::optional(label_text(fields, columns.label)),
        number);
  }
  return out;
}

std::optional<int64_t> whole_number(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

LabelledTexts read_labelled_texts(const std::string& file, const LabelColumns& columns) {
  const std::string ending = plain_ending(file);
  ensure<UsageError>(ending == ".csv" || ending == ".tsv" || ending == ".txt" || ending == ".jsonl",
                     file, ": wanted a name that ends with .csv, .tsv, .txt or .jsonl");
  LabelledTexts out = ending == ".jsonl" ? from_jsonl(file, columns) : from_table(file, columns);
  ensure<FormatError>(out.size() > 0, file, ": found no row, wanted texts with labels");
  return out;
}

LabelledTexts some_texts(const LabelledTexts& all, const std::vector<int64_t>& places) {
  LabelledTexts out{{}, {}, {}, all.name};
  for (const int64_t place : places) {
    const auto i = static_cast<size_t>(place);
    ensure<Error>(place >= 0 && i < all.size(), all.name, ": text ", place,
                  " asked for, there are ", all.size());
    out.texts.push_back(all.texts[i]);
    out.labels.push_back(all.labels[i]);
    out.lines.push_back(all.lines[i]);
  }
  return out;
}

std::vector<std::string> classes_of(const std::vector<std::string>& labels, ClassOrder order) {
  std::vector<std::string> out;
  std::unordered_set<std::string> seen;
  bool numbers = true;
  for (const std::string& label : labels) {
    if (!seen.insert(label).second) continue;
    numbers = numbers && whole_number(label).has_value();
    out.push_back(label);
  }
  if (order == ClassOrder::first_seen) return out;
  std::sort(out.begin(), out.end());
  if (numbers)
    std::stable_sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
      return *whole_number(a) < *whole_number(b);
    });
  return out;
}

std::vector<int64_t> class_ids(const LabelledTexts& texts,
                               const std::vector<std::string>& classes) {
  std::map<std::string, int64_t, std::less<>> ids;
  for (size_t i = 0; i < classes.size(); ++i) ids.emplace(classes[i], static_cast<int64_t>(i));
  std::vector<int64_t> out;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto found = ids.find(texts.labels[i]);
    if (found == ids.end())
      fail<FormatError>(texts.name, ": line ", texts.lines[i], ": found label ",
                        shown_cell(texts.labels[i]), ", wanted one of the ", classes.size(),
                        " classes, the first of which is ",
                        shown_cell(classes.empty() ? "" : classes[0]));
    out.push_back(found->second);
  }
  return out;
}

HeldOut hold_out(int64_t count, double share, uint64_t seed) {
  ensure<FormatError>(count >= 2, "found ", count,
                      " examples, wanted at least two, one to train on and one to hold out");
  constexpr uint64_t kStream = 0x686F6C64;
  auto held = static_cast<int64_t>(std::llround(static_cast<double>(count) * share));
  held = std::clamp<int64_t>(held, 1, count - 1);
  const std::vector<int64_t> order = permutation(count, Rng(seed, kStream));
  HeldOut out;
  out.valid.assign(order.begin(), order.begin() + held);
  out.train.assign(order.begin() + held, order.end());
  std::sort(out.valid.begin(), out.valid.end());
  std::sort(out.train.begin(), out.train.end());
  return out;
}

}  // namespace jogak
