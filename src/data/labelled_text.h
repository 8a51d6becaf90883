// Texts with a label each: "positive", "0", "sports".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jogak {

struct LabelledTexts {
  std::vector<std::string> texts, labels;
  std::vector<int64_t> lines;  // where each stands, from 1
  std::string name;            // what errors call them

  size_t size() const { return texts.size(); }
};

class LongLines;
struct LabelColumns {
  std::string text = "text", label = "label";  // no label: the texts alone
  std::string where_to_get = {};
  LongLines* longest = nullptr;  // lines of a .jsonl above it are left out
};

// A .csv with a header (quotes as in read_table), a .tsv or .txt with one (quotes mean nothing), or
// a .jsonl with one object a line whose label is a string, a whole number, true or false; .gz and
// .zst too. MissingError for a column that is not there, FormatError with the line for the rest,
// and for a file without a row. A row without a label is an error, one without a text is not.
LabelledTexts read_labelled_texts(const std::string& file, const LabelColumns& columns = {});

// Texts first .. last-1 of a list of places.
LabelledTexts some_texts(const LabelledTexts& all, const std::vector<int64_t>& places);

// The names of all classes, each once.
enum class ClassOrder : uint8_t {
  sorted,      // by number where all are whole numbers, else by their bytes
  first_seen,  // as they come
};
std::vector<std::string> classes_of(const std::vector<std::string>& labels,
                                    ClassOrder order = ClassOrder::sorted);

// Which class each text has. FormatError with the line for a label that is no class.
std::vector<int64_t> class_ids(const LabelledTexts& texts, const std::vector<std::string>& classes);

// The places 0 .. count-1 parted by chance: about `share` of them, at least one, are held out.
struct HeldOut {
  std::vector<int64_t> train, valid;  // each in order
};
HeldOut hold_out(int64_t count, double share, uint64_t seed);

}  // namespace jogak
