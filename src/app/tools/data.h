// `jogak data`: writes generated data, lists and shows data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/lang.h"

namespace jogak {

std::vector<std::string> data_kinds();  // what can be generated

struct MakeData {
  std::string kind, out;  // out: a file, or "-" for `to`; of shapes a folder
  int64_t count = 20000;
  uint64_t seed = 1;
  bool held_out = false;       // what training data of the same seed never holds
  std::string format = "png";  // of shapes: a PNG each in a folder for its class, or "idx"
  bool overwrite = false;      // what is there
};
struct MadeData {
  MakeData what;
  bool images = false;  // counted instead of lines
  int64_t count = 0, bytes = 0;
};
MadeData make_data(const MakeData& what, const Sink& to);
// {"schema","kind","out","lines","bytes","seed","split"}; of shapes "images" for "lines"
Json to_json(const MadeData& made);

struct DataList {
  struct Kind {
    std::string name, about;
  };
  struct File {
    std::string path;
    std::optional<int64_t> bytes = {};  // none: it cannot be asked
  };
  std::vector<Kind> generated = {};
  std::vector<File> files = {};  // below $JOGAK_DATA and data/
  int64_t more = 0;              // files that are not listed
};
DataList list_data(Lang lang);
// {"schema","generated":[{"name","about"}],"files":[{"path","bytes"}],"more"}
Json to_json(const DataList& list);

struct ShowData {
  std::string name;   // a kind, or a file looked for as data files are
  int64_t count = 5;  // lines to show
  uint64_t seed = 1;
};
struct DataSample {
  struct Size {
    int64_t lines = 0, bytes = 0, characters = 0;
  };
  std::string name;
  std::optional<Size> size = {};  // of a file
  std::vector<std::string> first = {};
};
DataSample show_data(const ShowData& what);
// {"schema","name","lines","bytes","characters","first":[..]}; of a kind only "name" and "first"
Json to_json(const DataSample& sample);

}  // namespace jogak
