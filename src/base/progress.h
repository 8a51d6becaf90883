// The progress line of a long job, on stderr. On a terminal one line is redrawn; elsewhere a plain
// line comes every few seconds. A job that ends within two seconds shows nothing at all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"

namespace jogak {

using ProgressFields = std::vector<std::pair<std::string, std::string>>;  // {"loss", "2.31"}, ...

// Where the line goes and what time it is; the defaults are stderr as it is and the steady clock.
struct ProgressPlace {
  bool terminal = false;
  bool colour = false;
  Lang lang = Lang::en;
  std::function<int()> columns;               // asked at every drawing: windows are resized
  std::function<double()> now;                // seconds
  std::function<void(std::string_view)> out;  // takes whole drawings

  static ProgressPlace standard_error(Lang lang);
};

class Progress {
 public:
  Progress(std::string title, int64_t total, Lang lang = log_language());
  Progress(std::string title, int64_t total, ProgressPlace place);
  ~Progress();  // a line left standing is wiped, so that an error message starts on a clean one
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap when nothing is due, so it may be called at every step. The first call tells where the
  // job begins: a resumed run's speed counts from there.
  void update(int64_t done, const ProgressFields& fields = {});
  void finish(std::string_view summary = "");  // in place of the line; silent if there was none

 private:
  std::string title_;
  int64_t total_;
  ProgressPlace place_;
  int64_t begin_ = -1;
  double start_, next_;  // when it began, when the next drawing is due
  bool shown_ = false, standing_ = false;
};

// One line after another for jobs that tell how far they are: a line begins with a job's first call
// and ends when all of it is done.
std::function<void(int64_t done, int64_t all)> progress_lines(std::string title, Lang lang);

// What there is to say at one moment, fitted into `columns`: fields are left out from the end,
// then the bar shrinks, then the title is cut.
struct ProgressMoment {
  std::string_view title;
  int64_t done = 0, total = 0;
  double seconds_left = -1;  // unknown when negative
  const ProgressFields* fields = nullptr;
};
std::string progress_bar_line(const ProgressMoment& moment, int columns, bool colour, Lang lang);
std::string progress_plain_line(const ProgressMoment& moment, Lang lang);

}  // namespace jogak
