#include "app/models/target_run.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "train/lock.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// The folders above that are made on the way, the lowest first.
std::vector<std::string> missing_above(const std::string& path) {
  std::vector<std::string> out;
  fs::path above = fs::path(path).parent_path();
  for (; !above.empty() && !fs::exists(fs::symlink_status(above)); above = above.parent_path())
    out.push_back(above.string());
  return out;
}

}  // namespace

TargetRun::TargetRun(Target target, bool resume) : target_(std::move(target)) {
  choose(resume);
  goes_.emplace([this] { remove(); });
}

void TargetRun::choose(bool resume) {
  target_.path = path_ = without_slash(target_.path);
  const bool found = fs::exists(fs::symlink_status(path_));
  ensure<UsageError>(!found || is_directory(path_), path_,
                     ": is a file, wanted a directory to write to");
  made_ = !found;
  above_ = missing_above(path_);
  if (found) before_ = list_directory(path_);
  // Whoever trains there is told before anything is read, and nothing of theirs is touched.
  if (file_exists(join_path(path_, ".lock"))) const DirectoryLock nobody_trains_there(path_);
  if (resume || !found || written_names(path_, is_run_file).empty()) return;
  const std::string what = what_is_there(path_);
  if (what == kUnbegunRun) return;
  if (!target_.overwrite)
    refuse_target(target_, what,
                  newest_checkpoint(path_) >= 0 ? "go on with --resume, choose another directory"
                                                : "choose another directory");
  path_ += ".new";
  before_.clear();
  made_ = true;
  if (const std::string other = what_is_there(path_); !other.empty())
    fail<UsageError>(path_, ": holds ", other, ", which was to replace ", target_.path,
                     "; go on with --resume --out ", path_, ", or remove it");
}

TargetRun::~TargetRun() { remove(); }

void TargetRun::remove() const {
  std::error_code ignored;
  if (!fs::exists(path_, ignored) || newest_checkpoint(path_) >= 0) return;
  if (made_) {
    fs::remove_all(path_, ignored);
    for (const std::string& folder : above_)
      if (fs::is_empty(folder, ignored)) fs::remove(folder, ignored);
    return;
  }
  for (const std::string& name : list_directory(path_))
    if (std::find(before_.begin(), before_.end(), name) == before_.end())
      fs::remove_all(join_path(path_, name), ignored);
}

void TargetRun::finish() {
  if (path_ != target_.path) replace_written(path_, target_.path, is_run_file);
}

}  // namespace jogak
