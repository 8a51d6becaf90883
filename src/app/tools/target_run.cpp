#include "app/tools/target_run.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "train/lock.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

TargetRun::TargetRun(Target target, bool resume) : target_(std::move(target)) {
  target_.path = path_ = without_slash(target_.path);
  const bool found = fs::exists(fs::symlink_status(path_));
  ensure<UsageError>(!found || is_directory(path_), path_,
                     ": is a file, wanted a directory to write to");
  made_ = !found;
  if (found) before_ = list_directory(path_);
  if (resume || !found || written_names(path_, is_run_file).empty()) return;
  const std::string what = what_is_there(path_);
  if (what == kUnbegunRun) return;
  if (!target_.overwrite)
    refuse_target(target_, what,
                  newest_checkpoint(path_) >= 0 ? "go on with --resume, choose another directory"
                                                : "choose another directory");
  std::optional<DirectoryLock> nobody_trains_there;
  if (file_exists(join_path(path_, ".lock"))) nobody_trains_there.emplace(path_);
  path_ += ".new";
  before_.clear();
  made_ = true;
  if (const std::string other = what_is_there(path_); !other.empty())
    fail<UsageError>(path_, ": holds ", other, ", which was to replace ", target_.path,
                     "; go on with --resume --out ", path_, ", or remove it");
}

TargetRun::~TargetRun() {
  std::error_code ignored;
  if (!fs::exists(path_, ignored) || newest_checkpoint(path_) >= 0) return;
  if (made_) {
    fs::remove_all(path_, ignored);
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
