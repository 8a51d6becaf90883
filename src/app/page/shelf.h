// The models a page shows: those it was given, and those among the runs of a folder. A model is
// opened when it is first needed; what was given stays open, runs make room for each other.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/page/example.h"
#include "app/page/open_model.h"
#include "base/model_outline.h"

namespace jogak {

struct ShelfModel {
  std::string id;  // unique, fit for an address
  std::string directory;
  bool given = true;  // false: found among the runs
  ModelOutline outline = {};
  std::string task = {};     // translate, generate, ..
  std::string trouble = {};  // why it cannot be shown; empty: nothing
};

class Shelf {
 public:
  // A directory may be a model, or hold models. MissingError when it is neither.
  Shelf(const std::vector<std::string>& directories, std::string runs);

  std::vector<ShelfModel> list();          // the runs are looked through again
  ShelfModel find(const std::string& id);  // MissingError
  const std::string& runs() const { return runs_; }

  // Bytes of weights that stay open; 0: no limit. Beyond it the least used models are closed, those
  // that were given too, but never the one that is being opened.
  void keep_within(size_t bytes) { most_bytes_ = bytes; }
  // The weights' type of models that write: auto, f32 or bf16. For what is opened from then on.
  void write_in(std::string dtype) { dtype_ = std::move(dtype); }
  // Called with each model that is closed, by the thread that opened another.
  void when_closed(std::function<void(const OpenModel*)> call) { closed_ = std::move(call); }

  // Opens it where it is not open. From any thread; two that open the same wait for each other.
  std::shared_ptr<const OpenModel> open(const ShelfModel& model);
  // The same of any directory, such as a checkpoint's: kept as runs are.
  std::shared_ptr<const OpenModel> open(const std::string& directory, bool stays);

 private:
  struct Open {
    std::string directory;
    std::shared_ptr<const OpenModel> model;
    std::string state;  // of the weights' file: a run writes new ones
    bool stays = false;
    size_t bytes = 0;  // of the weights
  };
  void choose_closed(std::vector<Open>& closed);
  void add(const std::string& directory, bool given);
  void look_for_runs();

  std::string runs_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<std::mutex>> opening_;  // by directory
  std::vector<ShelfModel> models_;
  std::vector<Open> open_;  // the last used last
  size_t most_bytes_ = 0;
  std::string dtype_ = "auto";
  std::function<void(const OpenModel*)> closed_;
};

bool is_model_directory(const std::string& directory);

}  // namespace jogak
