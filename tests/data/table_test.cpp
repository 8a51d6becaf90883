#include "data/table.h"

#include "data/label_data.h"
#include "data/labelled_text.h"
#include "tests/data/files.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using test::write_plain;
using Strings = std::vector<std::string>;

std::vector<Strings> rows_of(const std::string& text, TableOptions options = {}) {
  const TempDir dir;
  write_plain(dir / "t.csv", text);
  std::vector<Strings> out;
  read_table(dir / "t.csv", options, [&](const TableRow& row) { out.push_back(row.cells); });
  return out;
}

std::string table_refusal(const std::string& text, TableOptions options = {}) {
  const std::string message = error_of<FormatError>([&] { rows_of(text, options); });
  const size_t at = message.find("t.csv: ");
  return at == std::string::npos ? message : message.substr(at + 7);
}

TEST(Table, QuotesSeparatorsAndEveryLineEnd) {
  const std::vector<Strings> wanted = {{"a", "b"}, {"1", "x, \"y\"\nz"}, {"", "2"}};
  EXPECT_EQ(rows_of("a,b\n1,\"x, \"\"y\"\"\nz\"\n,2"), wanted);
  EXPECT_EQ(rows_of("\xEF\xBB\xBF"
                    "a,b\r\n\r\n1,\"x, \"\"y\"\"\nz\"\r,2\n\n"),
            wanted);
  EXPECT_EQ(rows_of("a\n=SUM(A1:A3)\n"), (std::vector<Strings>{{"a"}, {"=SUM(A1:A3)"}}));
  EXPECT_EQ(rows_of("a\tb\n\"1\t\"2\n", {.separator = '\t', .quotes = false}),
            (std::vector<Strings>{{"a", "b"}, {"\"1", "\"2"}}));
  EXPECT_EQ(rows_of("a\"b,\"\"\n"), (std::vector<Strings>{{"a\"b", ""}}));
  EXPECT_TRUE(rows_of("").empty());
}

TEST(TableErrors, EachNamesItsPlace) {
  EXPECT_EQ(table_refusal("a,b\n1,2\n\n3\n"),
            "line 4: found 1 cells, wanted 2 as in the first row");
  EXPECT_EQ(table_refusal("a,b\n1,2,3\n"), "line 2: found 3 cells, wanted 2 as in the first row");
  EXPECT_EQ(table_refusal("a,b\n1,\"2\n3,4\n"),
            "line 2: found a quote that is never closed, wanted another one behind it");
  EXPECT_EQ(table_refusal("a,b\n\"1\"2,3\n"),
            "line 2: found '2' behind a closing quote, wanted a separator or the end of the row");
  EXPECT_EQ(table_refusal(std::string("a,b\n1,x\0y\n", 10)),
            "line 2 column 2 byte 1: found a zero byte, wanted UTF-8 text");
  EXPECT_EQ(table_refusal("a,b\n1,xy\xC3(\n"),
            "line 2 column 2 byte 2: found a byte that is not UTF-8, wanted UTF-8 text");
  EXPECT_EQ(table_refusal("\xFF\xFE"
                          "a"),
            "byte 0: found the byte order mark of UTF-16, wanted UTF-8 text");
  EXPECT_EQ(table_refusal("a\n" + std::string(kLongestCell + 1, 'x')),
            "line 2: found a cell of more than 16777216 bytes, wanted shorter ones");
  EXPECT_EQ(table_refusal(std::string(kMostColumns + 1, ',')),
            "line 1: found more than 65536 columns, wanted fewer");
  expect_error<FormatError>(
      [] {
        Columns({"a", "b", "a"}, "t.csv");
      },
      "t.csv: line 1: found column \"a\" twice, wanted names that differ");
  expect_error<MissingError>(
      [] {
        Columns({"text", "lable"}, "t.csv").at("label");
      },
      "t.csv: line 1: no column \"label\"; there are text, lable (did you "
      "mean \"lable\"?)");
}

TEST(TableErrors, NamesWithLineEndsStayOnOneLine) {
  const Columns columns({"a\nb", std::string(50, 'x')}, "t.csv");
  expect_error<MissingError>(
      [&] { columns.at("c\nd"); },
      "t.csv: line 1: no column \"c\\nd\"; there are a\\nb, " + std::string(40, 'x') + "..");
  const TableRow row{{"1\n2"}, 3};
  expect_error<FormatError>(
      [&] { cell_number(row, 0, "t.csv", "a\nb"); },
      "t.csv: line 3 column \"a\\nb\": found \"1\\n2\", wanted a finite number");
}

TEST(Table, NumbersFillTheirCell) {
  const TableRow row{{" 1.5", "-2e3 ", "+7", "abc", "1e400", "nan", "inf", "1,5", "", "1 2"}, 4};
  EXPECT_EQ(cell_number(row, 0, "t", "c"), 1.5);
  EXPECT_EQ(cell_number(row, 1, "t", "c"), -2000);
  EXPECT_EQ(cell_number(row, 2, "t", "c"), 7);
  for (size_t i = 3; i < row.cells.size(); ++i)
    expect_error<FormatError>([&] { cell_number(row, i, "t", "c"); },
                              "t: line 4 column \"c\": found " +
                                  (row.cells[i].empty() ? "nothing" : "\"" + row.cells[i] + "\"") +
                                  ", wanted a finite number");
}

TEST(LabelledTexts, TheSameFromEveryFormat) {
  const TempDir dir;
  write_plain(dir / "t.csv", "id,text,label\n1,\"a, b\",no\n2,,yes\n");
  write_plain(dir / "t.tsv", "label\ttext\nno\ta, b\nyes\t\n");
  write_plain(dir / "t.jsonl",
              "{\"text\": \"a, b\", \"label\": \"no\"}\n\n"
              "{\"label\": \"yes\", \"text\": \"\"}\n");
  for (const char* name : {"t.csv", "t.tsv", "t.jsonl"}) {
    const LabelledTexts found = read_labelled_texts(dir / name);
    EXPECT_EQ(found.texts, (Strings{"a, b", ""})) << name;
    EXPECT_EQ(found.labels, (Strings{"no", "yes"})) << name;
  }
  write_plain(dir / "n.jsonl", "{\"x\": \"a\", \"y\": 3}\n{\"x\": \"b\", \"y\": true}\n");
  EXPECT_EQ(read_labelled_texts(dir / "n.jsonl", {.text = "x", .label = "y"}).labels,
            (Strings{"3", "true"}));
}

TEST(LabelledTexts, ClassesAreSortedOrAsTheyCome) {
  EXPECT_EQ(classes_of({"b", "a", "b", "c"}), (Strings{"a", "b", "c"}));
  EXPECT_EQ(classes_of({"10", "9", "-1"}), (Strings{"-1", "9", "10"}));
  EXPECT_EQ(classes_of({"10", "9", "x"}), (Strings{"10", "9", "x"}));
  EXPECT_EQ(classes_of({"b", "a", "b"}, ClassOrder::first_seen), (Strings{"b", "a"}));
  const LabelledTexts texts{{"", ""}, {"b", "a"}, {2, 5}, "t.tsv"};
  EXPECT_EQ(class_ids(texts, {"a", "b"}), (std::vector<int64_t>{1, 0}));
  expect_error<FormatError>(
      [&] {
        class_ids(texts, {"b", "c"});
      },
      "t.tsv: line 5: found label \"a\", wanted one of the 2 classes, the "
      "first of which is \"b\"");
}

TEST(LabelledTexts, HeldOutPartsShareNothing) {
  const HeldOut parts = hold_out(100, 0.2, 7);
  EXPECT_EQ(parts.valid.size(), 20u);
  std::vector<int64_t> all = parts.train;
  all.insert(all.end(), parts.valid.begin(), parts.valid.end());
  std::sort(all.begin(), all.end());
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(all[static_cast<size_t>(i)], i);
  EXPECT_NE(hold_out(100, 0.2, 8).valid, parts.valid);
  EXPECT_EQ(hold_out(2, 0.01, 1).valid.size(), 1u);
}

TEST(LabelledTextErrors, EachNamesItsLine) {
  const TempDir dir;
  const auto refused = [&](const std::string& name, const std::string& text) {
    write_plain(dir / name, text);
    const std::string message = error_of<FormatError>([&] { read_labelled_texts(dir / name); });
    return message.substr(message.find(name) + name.size() + 2);
  };
  EXPECT_EQ(refused("t.csv", ""), "found nothing, wanted a header and rows");
  EXPECT_EQ(refused("t.csv", "text,label\n"), "found no row, wanted texts with labels");
  EXPECT_EQ(refused("t.csv", "text,label\na,x\nb,\n"), "line 3: found no label, wanted one");
  EXPECT_EQ(refused("t.jsonl", "{\"text\": \"a\", \"label\": 1.5}\n"),
            "line 1: byte 23: \"label\": found 1.5, wanted a string, a whole number, true or "
            "false");
  EXPECT_EQ(refused("t.jsonl", "{\"text\": \"a\", \"label\": 1\n").substr(0, 7), "line 1:");
  error_of<UsageError>([&] { read_labelled_texts(dir / "t.xls"); });
}

TEST(LabelData, RowsAreFilledUpAndLongTextsKeepTheirEnd) {
  const Encode encode = [](std::string_view text) {
    std::vector<int> ids = {1};
    for (const char c : text) ids.push_back(c);
    ids.push_back(2);
    return ids;
  };
  const LabelData data({"ab", "", "abcdef"}, {0, 1, 1}, encode, {.context = 5, .pad_id = 9});
  EXPECT_EQ(data.shortened(), 1);
  const LabelBatch batch = data.eval_batch(0, 5);
  EXPECT_EQ(to_host<int64_t>(batch.ids),
            (std::vector<int64_t>{1, 'a', 'b', 2, 9, 1, 2, 9, 9, 9, 1, 'a', 'b', 'c', 2}));
  EXPECT_EQ(to_host<int64_t>(batch.targets), (std::vector<int64_t>{0, 1, 1}));
  const Tensor mask = cast(batch.mask, DType::i64);
  EXPECT_EQ(to_host<int64_t>(mask),
            (std::vector<int64_t>{1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(data.eval_batch(2, 1).mask.defined());
}

}  // namespace
}  // namespace jogak
