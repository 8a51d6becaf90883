// `jogak data`: writes generated data, lists and shows data.
#pragma once

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
};
// {"schema","kind","out","lines","bytes","seed","split"}; of shapes "images" for "lines"
Json make_data(const MakeData& what, const Sink& to);

// Generated kinds, and the files below $JOGAK_DATA and data/:
// {"schema","generated":[{"name","lines","about"}],"files":[{"path","bytes"}],"more"}
Json list_data(Lang lang);

struct ShowData {
  std::string name;   // a kind, or a file looked for as data files are
  int64_t count = 5;  // lines to show
  uint64_t seed = 1;
};
// {"schema","name","lines","bytes","characters","first":[..]}; of a kind only "name" and "first"
Json show_data(const ShowData& what);

}  // namespace jogak
