#include "app/tools/data.h"

#include "base/format.h"
#include "cli/command.h"

namespace jogak::cli {
namespace {

std::string bytes_text(std::optional<int64_t> bytes) {
  return bytes ? format_bytes(static_cast<uint64_t>(*bytes)) : "?";
}

int make(const Context& c) {
  const Args& args = c.args;
  const MakeData what{.kind = args.operand("KIND"),
                      .out = args.operand("OUT"),
                      .count = args.integer("count"),
                      .seed = static_cast<uint64_t>(args.integer("seed")),
                      .held_out = args.flag("held-out"),
                      .format = args.text("format"),
                      .overwrite = args.flag("overwrite")};
  const MadeData made = make_data(what, [&](std::string_view text) { c.out.write(text); });
  if (what.out == "-") return 0;  // the lines are the result
  if (args.flag("json")) {
    c.out.line(to_json(made).dump());
    return 0;
  }
  const bool ko = c.lang() == Lang::ko;
  const char* unit = made.images ? (ko ? "장, " : " images, ") : (ko ? "줄, " : " lines, ");
  c.out.line(what.out + ": " + format_count(made.count) + unit + bytes_text(made.bytes));
  return 0;
}

int list(const Context& c) {
  const DataList found = list_data(c.lang());
  if (c.args.flag("json")) {
    c.out.line(to_json(found).dump());
    return 0;
  }
  const bool ko = c.lang() == Lang::ko;
  TextTable kinds({ko ? "만들 수 있는 데이터" : "generated", ""});
  for (const DataList::Kind& kind : found.generated) kinds.row({kind.name, kind.about});
  c.out.write(kinds.text());
  TextTable files({ko ? "파일" : "file", ko ? "크기" : "size"});
  for (const DataList::File& file : found.files) files.row({file.path, bytes_text(file.bytes)});
  if (!found.files.empty()) c.out.write("\n" + files.text());
  if (const std::string more = format_count(found.more); found.more > 0)
    c.out.line(ko ? "그 밖에 " + more + "개" : "and " + more + " more");
  return 0;
}

int show(const Context& c) {
  const DataSample found = show_data({.name = c.args.operand("NAME"),
                                      .count = c.args.integer("count"),
                                      .seed = static_cast<uint64_t>(c.args.integer("seed"))});
  if (c.args.flag("json")) {
    c.out.line(to_json(found).dump());
    return 0;
  }
  const bool ko = c.lang() == Lang::ko;
  for (const std::string& line : found.first) c.out.line(line);
  if (found.size)
    c.out.line("\n" + found.name + ": " + format_count(found.size->lines) +
               (ko ? "줄, " : " lines, ") + format_count(found.size->characters) +
               (ko ? "글자, " : " characters, ") + bytes_text(found.size->bytes));
  return 0;
}

Command make_part() {
  Command out{.name = "make",
              .summary = {"예제 데이터를 만들어 파일에 씁니다", "writes generated data to a file"}};
  out.operands = {{"KIND", {"종류", "kind"}, false, data_kinds()},
                  {"OUT",
                   {"쓸 파일, -는 표준 출력; shapes는 디렉터리",
                    "the file to write, - for standard output; of shapes a folder"}}};
  out.options = {{.name = "count",
                  .help = {"줄, 그림 수", "lines or pictures"},
                  .kind = Kind::integer,
                  .value = "N",
                  .fallback = "20000",
                  .low = 1,
                  .high = 10'000'000},
                 seed_option("1"),
                 {.name = "held-out",
                  .help = {"같은 시드의 학습 데이터에 절대 없는 줄",
                           "lines that training data of the same seed never holds"},
                  .kind = Kind::flag},
                 {.name = "format",
                  .help = {"shapes: 종류마다 한 디렉터리의 PNG, 또는 IDX 파일 둘",
                           "shapes: PNG files, a folder for each class, or two IDX files"},
                  .value = "FORMAT",
                  .fallback = "png",
                  .choices = {"png", "idx"}},
                 overwrite_option(),
                 json_option()};
  out.examples = {{"jogak data make dates dates.txt --count 20000 --seed 1",
                   {"날짜와 그 ISO 형식", "dates and their ISO form"}},
                  {"jogak data make series series.csv --count 5000",
                   {"측정값 세 줄기, 5000시간", "three series of 5000 hours"}},
                  {"jogak data make shapes shapes --count 600", {"그림 600장", "600 pictures"}},
                  {"jogak data make sort - --count 5", {"다섯 줄만 화면에", "five lines, shown"}}};
  out.run = make;
  return out;
}

}  // namespace

Command data_command() {
  Command out{.name = "data",
              .group = Group::make,
              .summary = {"예제 데이터를 만들고, 있는 데이터를 보여 줍니다",
                          "writes generated data, lists and shows data"}};
  Command list_part{.name = "list",
                    .summary = {"만들 수 있는 데이터와 $JOGAK_DATA, data/ 안의 파일",
                                "what can be generated, and the files in $JOGAK_DATA and data/"}};
  list_part.options = {json_option()};
  list_part.examples = {{"jogak data list", {"모두", "all of it"}}};
  list_part.run = list;
  Command show_part{
      .name = "show",
      .summary = {"데이터의 처음 몇 줄과 크기", "the first lines of data, and its size"}};
  show_part.operands = {
      {"NAME", {"파일, 또는 만들 수 있는 종류", "a file, or a kind that can be generated"}}};
  show_part.options = {{.name = "count",
                        .help = {"보일 줄 수", "lines to show"},
                        .kind = Kind::integer,
                        .value = "N",
                        .fallback = "5",
                        .low = 0,
                        .high = 1000},
                       seed_option("1"),
                       json_option()};
  show_part.examples = {
      {"jogak data show dates", {"날짜 데이터는 이렇게 생겼습니다", "what dates look like"}}};
  show_part.run = show;
  out.parts = {make_part(), std::move(list_part), std::move(show_part)};
  out.examples = {{"jogak data make dates dates.txt", {"날짜 20000줄", "20000 lines of dates"}}};
  return out;
}

}  // namespace jogak::cli
