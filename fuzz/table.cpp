// A CSV of any bytes, as a table and as series: refused with one line, or rows of one width.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "data/series.h"
#include "data/table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace jogak;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto tried = [](const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      if (std::string_view(error.what()).find('\n') != std::string_view::npos) __builtin_trap();
    }
  };
  for (const bool quotes : {false, true})
    tried([&] {
      size_t width = 0;
      parse_table(bytes, "fuzz", {.separator = quotes ? ',' : '\t', .quotes = quotes},
                  [&](const TableRow& row) {
                    if (width != 0 && row.cells.size() != width) __builtin_trap();
                    width = row.cells.size();
                  });
    });
  tried([&] {
    for (const SeriesPanel& panel : parse_series(bytes, "fuzz.csv").panels)
      if (static_cast<int64_t>(panel.values.size()) != panel.rows() * panel.columns())
        __builtin_trap();
  });
  return 0;
}
