// Series as windows: what is seen, and how it went on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/batch.h"
#include "data/series.h"

namespace jogak {

enum class SeriesPart : uint8_t { train, valid, test };

// Rows of each part, in time; all 0: 70, 10 and 20 % of a panel's rows. A window of the valid or
// test part may see the rows before it; what it forecasts lies in the part.
struct SeriesBorders {
  int64_t train = 0, valid = 0, test = 0;
  bool by_share() const { return train == 0 && valid == 0 && test == 0; }
};

// Brings every series to mean 0 and deviation 1 (over its training rows, divided by their number).
// A constant series keeps its size.
struct SeriesScaler {
  std::vector<std::string> names;  // of all panels, in order
  std::vector<double> mean, deviation;
};

struct SeriesBatch {
  Tensor past;         // f32 [B, context, series]
  Tensor future;       // f32 [B, horizon, series]
  int64_t values = 0;  // of future
};

class SeriesData {
 public:
  struct Options {
    int64_t context = 0, horizon = 0;
    SeriesBorders borders = {};
  };
  // FormatError with the counts when a part has no window. Without a scaler one is made from the
  // training rows; with one its names must be those of the file.
  SeriesData(SeriesFile file, const Options& options, const SeriesScaler* scaler = nullptr);

  int64_t windows(SeriesPart part) const;
  int64_t series() const { return panels_[0].columns(); }  // of a window
  const SeriesScaler& scaler() const { return scaler_; }
  const SeriesBorders& borders() const { return options_.borders; }

  SeriesBatch batch(SeriesPart part, std::span<const int64_t> windows) const;
  SeriesBatch eval_batch(SeriesPart part, int64_t first, int64_t count) const;
  std::string describe() const;  // one line for a person; changes when the data does

 private:
  struct Range {  // of first rows of windows in a panel
    int64_t begin = 0, count = 0;
  };
  void fit();
  void apply();
  Range range(const SeriesPanel& panel, SeriesPart part) const;

  std::string name_;
  Options options_;
  std::vector<SeriesPanel> panels_;  // standardised
  SeriesScaler scaler_;
};

// As a model directory keeps it: series.json.
Json to_json(const SeriesScaler& scaler, const SeriesBorders& borders);
SeriesScaler read_scaler(const Json& json, const std::string& file);
SeriesBorders read_borders(const Json& json, const std::string& file);

}  // namespace jogak
