// The runs of a folder: all of them at a glance, the curves of some, and the checkpoints of one as
// the frames of a film.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/page/curves.h"
#include "app/show/inspect_input.h"
#include "base/lang.h"

namespace jogak {

class RunFolder {
 public:
  explicit RunFolder(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }
  // The directory of a run. MissingError unless the folder has one of that name.
  std::string path(const std::string& name) const;

  // {"runs":[{"name","step","train_loss","valid_loss","points","modified","live"}],"now"}
  Json list();
  // Curves as RunCurves gives them, with "name", "live", "steps", "clip", "metric", "family" and
  // "checkpoints". Unless something changed since `offset`: {"name","offset","live","unchanged"}.
  Json curves(const std::string& name, int64_t offset);

 private:
  struct Followed {
    std::mutex mutex;
    std::unique_ptr<RunCurves> curves;
  };
  std::shared_ptr<Followed> followed(const std::string& name);

  std::string directory_;
  std::mutex mutex_;
  std::map<std::string, RunGlance> glances_;
  std::map<std::string, std::shared_ptr<Followed>> followed_;
};

std::vector<int64_t> checkpoint_steps(const std::string& run);  // rising

// One head's attention, or the table of positions, as it was at every checkpoint.
struct FilmQuestion {
  std::string run;         // directory
  int64_t step = 0;        // of a checkpoint
  bool positions = false;  // instead of attention
  InputChoice input = {};
  std::string kind = {};
  int64_t layer = 0, head = 0;
  const std::atomic<bool>* stop = nullptr;
  Lang lang = Lang::en;
};
// A picture as `jogak inspect --json` has it, with "step".
Json film_frame(const FilmQuestion& question);

}  // namespace jogak
