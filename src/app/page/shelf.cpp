#include "app/page/shelf.h"

#include <sys/stat.h>

#include <algorithm>

#include "app/models/adapter.h"
#include "app/models/device.h"
#include "app/models/outline.h"
#include "base/file.h"
#include "tensor/device.h"
#include "train/memory.h"

namespace jogak {
namespace {

constexpr size_t kOpenRuns = 4;  // at once, beside the models that were given
constexpr size_t kMostModels = 4096;

// Letters, digits, dots, lines and what is not ASCII; anything else could end a part of an address.
std::string fit_for_address(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '_' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
    out += plain ? c : '-';
  }
  return out.empty() || out[0] == '.' ? "model" + out : out;
}

// Changes when the weights are written again.
std::string weights_state(const std::string& directory) {
  for (const char* name :
       {"model.safetensors", "model.safetensors.index.json", "adapter_model.safetensors"}) {
    struct stat state {};
    if (::stat(join_path(directory, name).c_str(), &state) == 0)
      return text_of(state.st_ino, " ", state.st_size, " ", state.st_mtim.tv_sec, ".",
                     state.st_mtim.tv_nsec);
  }
  return {};
}

// Of all files of weights.
size_t weights_size(const std::string& directory) {
  size_t out = 0;
  for (const std::string& name : list_directory(directory))
    if (struct stat state{};
        name.ends_with(".safetensors") && ::stat(join_path(directory, name).c_str(), &state) == 0)
      out += static_cast<size_t>(state.st_size);
  return out;
}

// A model that is closed leaves blocks that the next one may not fit, and small pieces between what
// stays: the first go back whole, of the second the pages that are empty.
void give_back_memory() {
  cpu_device().allocator().trim();
  model_device().allocator().trim();
  return_unused_memory();
}

std::string plain_directory(std::string directory) {
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  return directory;
}

}  // namespace

bool is_model_directory(const std::string& directory) {
  return file_exists(join_path(directory, "config.json")) || is_adapter_directory(directory);
}

Shelf::Shelf(const std::vector<std::string>& directories, std::string runs)
    : runs_(std::move(runs)) {
  for (const std::string& given : directories) {
    const std::string directory = plain_directory(given);
    ensure<MissingError>(is_directory(directory), directory, ": no such model directory");
    if (is_model_directory(directory)) {
      add(directory, true);
      continue;
    }
    const size_t before = models_.size();
    for (const std::string& name : list_directory(directory))
      if (is_model_directory(join_path(directory, name))) add(join_path(directory, name), true);
    ensure<MissingError>(models_.size() > before, directory,
                         ": found no config.json, in it or one below");
  }
  look_for_runs();
}

void Shelf::add(const std::string& directory, bool given) {
  if (models_.size() >= kMostModels) return;
  for (const ShelfModel& other : models_)
    if (other.directory == directory) return;
  ShelfModel model{.id = fit_for_address(file_name(directory)), .directory = directory};
  model.given = given;
  const auto taken = [&](const std::string& id) {
    return std::any_of(models_.begin(), models_.end(), [&](const auto& m) { return m.id == id; });
  };
  const std::string plain = model.id;
  for (int number = 2; taken(model.id); ++number) model.id = text_of(plain, "-", number);
  try {
    model.outline = model_outline(directory);
    model.task = model_task(directory, model.outline);
  } catch (const Error& error) {
    model.trouble = error.what();
  }
  models_.push_back(std::move(model));
}

void Shelf::look_for_runs() {
  if (runs_.empty() || !is_directory(runs_)) return;
  for (const std::string& name : list_directory(runs_)) {
    const std::string directory = join_path(runs_, name);
    if (is_model_directory(directory)) add(directory, false);
  }
}

std::vector<ShelfModel> Shelf::list() {
  const std::lock_guard lock(mutex_);
  look_for_runs();
  return models_;
}

ShelfModel Shelf::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  for (const bool again : {false, true}) {
    if (again) look_for_runs();
    for (const ShelfModel& model : models_)
      if (model.id == id) return model;
  }
  fail<MissingError>("no model is called \"", id, "\"");
}

std::shared_ptr<const OpenModel> Shelf::open(const ShelfModel& model) {
  ensure<FormatError>(model.trouble.empty(), model.trouble);
  return open(model.directory, model.given);
}

// What there is no room for any more; the last of those that are open was opened just now.
void Shelf::choose_closed(std::vector<Open>& closed) {
  const auto take = [&](auto found) {
    closed.push_back(std::move(*found));
    open_.erase(found);
  };
  const auto runs = [](const Open& one) { return !one.stays; };
  while (static_cast<size_t>(std::count_if(open_.begin(), open_.end(), runs)) > kOpenRuns)
    take(std::find_if(open_.begin(), open_.end(), runs));
  const auto bytes = [&] {
    size_t sum = 0;
    for (const Open& one : open_) sum += one.bytes;
    return sum;
  };
  while (most_bytes_ > 0 && open_.size() > 1 && bytes() > most_bytes_) take(open_.begin());
}

std::shared_ptr<const OpenModel> Shelf::open(const std::string& directory, bool stays) {
  const std::string state = weights_state(directory);
  const auto here = [&](const Open& one) { return one.directory == directory; };
  std::unique_lock<std::mutex> turn;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<std::mutex>& one = opening_[directory];
    if (!one) one = std::make_unique<std::mutex>();
    turn = std::unique_lock(*one, std::defer_lock);
  }
  turn.lock();
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(open_.begin(), open_.end(), here);
    if (found != open_.end() && found->state == state) {
      std::rotate(found, found + 1, open_.end());
      return open_.back().model;
    }
  }
  auto model = std::make_shared<const OpenModel>(directory, dtype_);
  std::vector<Open> closed;
  {
    const std::lock_guard lock(mutex_);
    if (const auto old = std::find_if(open_.begin(), open_.end(), here); old != open_.end()) {
      closed.push_back(std::move(*old));
      open_.erase(old);
    }
    open_.push_back({directory, model, state, stays, weights_size(directory)});
    choose_closed(closed);
  }
  if (closed.empty()) return model;
  if (closed_)
    for (const Open& one : closed) closed_(one.model.get());
  closed.clear();
  give_back_memory();
  return model;
}

}  // namespace jogak
