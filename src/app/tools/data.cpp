#include "app/tools/data.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/data/shape_files.h"
#include "app/data/text_data.h"
#include "app/models/target.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "data/make/series.h"
#include "data/make/shapes.h"

namespace jogak {
namespace {

constexpr int64_t kMostLines = 10'000'000;
constexpr size_t kMostListed = 500;
constexpr size_t kLongestShown = 400;  // bytes of a line

struct Kind {
  const char* name;
  Words about;
};
constexpr Kind kKinds[] = {
    {"dates",
     {"사람이 쓰는 날짜와 ISO 형식, 한국어와 영어",
      "dates as people write them and in ISO form, Korean and English"}},
    {"sort",
     {"숫자와 글자, 그리고 순서대로 늘어놓은 것", "digits and letters, and the same in order"}},
    {"series",
     {"날과 주를 따라 오르내리는 시간별 측정값, CSV",
      "hourly measurements that follow the day and the week, a CSV"}},
    {"shapes",
     {"원, 네모, 세모의 작은 그림, 종류마다 한 디렉터리",
      "small pictures of circles, squares and triangles, a folder for each"}},
};

// The lines of any kind but shapes.
std::vector<std::string> lines_of(const std::string& kind, int64_t count, uint64_t seed,
                                  bool held_out) {
  if (kind == "series")
    return series_csv(make_series(count, seed, held_out ? Split::held_out : Split::train));
  return generated_lines(kind, count, seed, held_out);
}

bool is_kind(const std::string& name) {
  return std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const Kind& kind) { return name == kind.name; });
}

void check(const MakeData& what) {
  ensure<UsageError>(is_kind(what.kind), "data make: found ", quoted(what.kind),
                     ", wanted dates, sort, series or shapes",
                     did_you_mean(what.kind, data_kinds()));
  ensure<UsageError>(what.count >= 1 && what.count <= kMostLines, "count: found ", what.count,
                     ", wanted 1 to ", kMostLines);
}

bool is_shape_file(const std::string& name) {
  const auto& folders = shape_names();
  return name == kIdxImages || name == kIdxLabels ||
         std::find(folders.begin(), folders.end(), name) != folders.end();
}

MadeData make_images(const MakeData& what) {
  ensure<UsageError>(what.out != "-", "data make shapes: found -, wanted a folder to write to");
  TargetDirectory target({what.out, what.overwrite}, is_shape_file);
  const ShapeFiles files{target.path(), what.count, what.seed, what.held_out};
  const int64_t bytes = what.format == "idx" ? write_shape_idx(files) : write_shape_folders(files);
  target.finish();
  return {what, true, what.count, bytes};
}

// Files of a folder and of the folders in it, three deep: data sets are kept that way.
void list_files(const std::string& folder, int deep, std::vector<std::string>& out) {
  for (const std::string& name : list_directory(folder)) {
    if (name.starts_with('.')) continue;
    const std::string path = join_path(folder, name);
    if (!is_directory(path))
      out.push_back(path);
    else if (deep > 1)
      list_files(path, deep - 1, out);
  }
}

std::string shortened(std::string_view line) {
  if (line.size() <= kLongestShown) return std::string(line);
  line = line.substr(0, kLongestShown);
  return std::string(line.substr(0, utf8::whole_prefix(line))) + "…";
}

// Counts a file's lines and characters while it streams by, and keeps its first lines.
class Survey {
 public:
  explicit Survey(int64_t keep) : keep_(keep) {}

  void take(std::string_view text) {
    size_.bytes += static_cast<int64_t>(text.size());
    for (const char c : text) {
      size_.characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      if (c == '\n') {
        end_line();
      } else {
        in_line_ = true;
        if (line_.size() <= kLongestShown) line_ += c;
      }
    }
  }
  DataSample finish(const std::string& path) {
    if (in_line_) end_line();
    return {path, size_, std::move(first_)};
  }

 private:
  void end_line() {
    if (size_.lines < keep_) first_.push_back(utf8::lossy(shortened(line_)));
    ++size_.lines;
    line_.clear();
    in_line_ = false;
  }

  int64_t keep_;
  DataSample::Size size_;
  bool in_line_ = false;
  std::string line_;
  std::vector<std::string> first_;
};

}  // namespace

std::vector<std::string> data_kinds() {
  std::vector<std::string> out;
  for (const Kind& kind : kKinds) out.emplace_back(kind.name);
  return out;
}

MadeData make_data(const MakeData& what, const Sink& to) {
  check(what);
  if (what.kind == "shapes") return make_images(what);
  if (what.out != "-") check_target_file({what.out, what.overwrite});
  const std::vector<std::string> lines = lines_of(what.kind, what.count, what.seed, what.held_out);
  int64_t bytes = 0;
  const auto write_to = [&](const Sink& sink) {
    for (const std::string& line : lines) {
      sink(line + "\n");
      bytes += static_cast<int64_t>(line.size()) + 1;
    }
  };
  if (what.out == "-")
    write_to(to);
  else
    write_file_with(what.out, write_to);
  return {what, false, static_cast<int64_t>(lines.size()), bytes};
}

DataList list_data(Lang lang) {
  DataList out;
  for (const Kind& kind : kKinds)
    out.generated.push_back({kind.name, std::string(kind.about(lang))});
  std::vector<std::string> files;
  const char* data = std::getenv("JOGAK_DATA");
  if (data && is_directory(data)) list_files(data, 3, files);
  if (is_directory("data")) list_files("data", 3, files);
  const size_t listed = std::min(files.size(), kMostListed);
  for (size_t i = 0; i < listed; ++i) {
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(files[i], failed);
    out.files.push_back({files[i]});
    if (!failed) out.files.back().bytes = static_cast<int64_t>(bytes);
  }
  out.more = static_cast<int64_t>(files.size() - listed);
  return out;
}

DataSample show_data(const ShowData& what) {
  ensure<UsageError>(what.count >= 0 && what.count <= 1000, "count: found ", what.count,
                     ", wanted 0 to 1000");
  if (is_kind(what.name) && !file_exists(what.name)) {
    const int64_t count = std::max<int64_t>(what.count, 1);
    return {what.name,
            {},
            what.name == "shapes" ? drawn_shapes(count, what.seed)
                                  : lines_of(what.name, count, what.seed, false)};
  }
  const std::string path = find_data(what.name);
  Survey survey(what.count);
  read_text_file_in_pieces(path, [&](std::string_view text) { survey.take(text); });
  return survey.finish(path);
}

Json to_json(const MadeData& made) {
  Json out = Json::object();
  out.set("schema", 1).set("kind", made.what.kind).set("out", made.what.out);
  out.set(made.images ? "images" : "lines", made.count).set("bytes", made.bytes);
  out.set("seed", static_cast<int64_t>(made.what.seed));
  return std::move(out.set("split", made.what.held_out ? "held-out" : "train"));
}

Json to_json(const DataList& list) {
  Json generated = Json::array(), files = Json::array();
  for (const DataList::Kind& kind : list.generated) {
    Json one = Json::object();
    generated.push(std::move(one.set("name", kind.name).set("about", kind.about)));
  }
  for (const DataList::File& file : list.files) {
    Json one = Json::object();
    one.set("path", file.path);
    files.push(std::move(one.set("bytes", file.bytes ? Json(*file.bytes) : Json())));
  }
  Json out = Json::object();
  out.set("schema", 1).set("generated", std::move(generated)).set("files", std::move(files));
  return std::move(out.set("more", list.more));
}

Json to_json(const DataSample& sample) {
  Json out = Json::object();
  out.set("schema", 1).set("name", sample.name);
  if (sample.size) {
    out.set("lines", sample.size->lines).set("bytes", sample.size->bytes);
    out.set("characters", sample.size->characters);
  }
  return std::move(out.set("first", Json::list(sample.first)));
}

}  // namespace jogak
