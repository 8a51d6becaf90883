// metrics.jsonl of a run, followed while it grows: the file is read on from where it was left, and
// what is kept of each curve stays small however long the run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace jogak {

// A curve in at most kMostPoints points: each stands for `stride` values, and when there are too
// many, neighbours are joined.
class Curve {
 public:
  static constexpr size_t kMostPoints = 512;

  void add(int64_t step, double value);
  Json json() const;  // {"steps":[..],"mean":[..],"low":[..],"high":[..]}
  double last() const { return last_; }
  double least() const { return least_; }
  size_t points() const { return points_.size(); }

 private:
  struct Point {
    int64_t step = 0, count = 0;  // the last step it stands for, and how many values
    double sum = 0, low = 0, high = 0;
    void take(const Point& other);
  };
  std::vector<Point> points_;
  int64_t stride_ = 1;
  double last_ = 0, least_ = 0;
};

class RunCurves {
 public:
  explicit RunCurves(std::string directory);

  // Reads what is new. A file that was cut or replaced is read again from its start.
  void follow();
  // {"offset","step","curves":{"train_loss":{..}},"skipped":[{"step","why"}]}
  Json json() const;
  int64_t offset() const { return offset_; }  // bytes taken in
  int64_t step() const { return step_; }

 private:
  void take_line(std::string_view line);

  std::string path_;
  int64_t offset_ = 0, step_ = 0;
  uint64_t file_ = 0;  // which file it was: a resumed run writes a new one
  std::map<std::string, Curve> curves_;
  std::vector<std::pair<int64_t, std::string>> skipped_;
};

// A run in a few numbers, without reading its whole file: the last values, and some points of the
// training loss on the way. {"step","train_loss","valid_loss","points":[[step,loss]],"modified"}
struct RunGlance {
  int64_t step = 0, bytes = 0;
  double modified = 0;            // seconds since 1970
  double train_loss, valid_loss;  // NaN: none yet
  std::vector<std::pair<int64_t, double>> points = {};
};
RunGlance glance_at_run(const std::string& directory, size_t points);

}  // namespace jogak
