// The desks that texts are written at, one for each language model that somebody asked.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "app/page/open_model.h"
#include "app/use/writing_desk.h"

namespace jogak::server {

struct OpenDesk {
  OpenDesk(std::shared_ptr<const OpenModel> model, const DeskLimits& limits)
      : open(std::move(model)), desk(open->generator(), limits) {}
  std::shared_ptr<const OpenModel> open;
  WritingDesk desk;  // ends before the model goes
};

class Desks {
 public:
  DeskLimits limits = {};

  // A model that was opened again, because its weights are new, gets a new desk; the old one goes
  // when what it has begun is done. Not to be held by what is done at the desk: the last to let go
  // of it waits for it.
  std::shared_ptr<OpenDesk> at(const std::string& model, std::shared_ptr<const OpenModel> open);

  void drop(const OpenModel* closed);  // its desk goes when what it has begun is done

  struct Load {
    size_t requests = 0;
    int64_t steps = 0;
    double model_seconds = 0;
  };
  std::map<std::string, Load> load();

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<OpenDesk>> all_;
};

}  // namespace jogak::server
