#include "train/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/log.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kStep = "step-", kTemporary = ".tmp-";

const std::string& made(const std::string& path) {
  ensure<UsageError>(!path.empty(), "training: no directory given for the run");
  make_directories(join_path(path, "checkpoints"));
  sync_directory(path);
  sync_directory(fs::absolute(path).lexically_normal().parent_path().string());
  return path;
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The step of "step-00000100"; -1 for other names.
int64_t step_of(std::string_view name) {
  if (!name.starts_with(kStep)) return -1;
  name.remove_prefix(kStep.size());
  int64_t step = -1;
  if (name.size() < 8 || !all_digits(name)) return -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  return error == std::errc() && end == name.data() + name.size() ? step : -1;
}

// "model.safetensors.tmp-123-4": a file that write_file had not finished.
bool unfinished_file(std::string_view name) {
  const size_t at = name.rfind(kTemporary);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = name.substr(at + kTemporary.size());
  const size_t dash = rest.find('-');
  return dash != std::string_view::npos && all_digits(rest.substr(0, dash)) &&
         all_digits(rest.substr(dash + 1));
}

// A checkpoint of the same step changes places with the new one at once. A file system that cannot
// do that keeps the old: the weights are the same. The one that goes is left under `from`.
void publish(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return;
  int error = errno;
  if (error == ENOTEMPTY || error == EEXIST) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return;
    error = errno;
    if (error == EINVAL || error == ENOSYS) return;
  }
  fail<IoError>(to, ": renaming failed: ", std::strerror(error));
}

}  // namespace

RunDirectory::RunDirectory(const std::string& path)
    : path_(made(path)), checkpoints_(join_path(path, "checkpoints")), lock_(path) {
  sweep();
}

void RunDirectory::sweep() {
  sync_directory(checkpoints_);  // names first: see keep_newest
  const auto remove = [](const std::string& path) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) return log_warning(path, ": left by an unfinished run, and could not be removed");
    log_info(path, ": left by an unfinished run, removed");
  };
  for (const std::string& name : list_directory(checkpoints_))
    if (name.starts_with(kTemporary)) remove(join_path(checkpoints_, name));
  for (const std::string& name : list_directory(path_))
    if (unfinished_file(name)) remove(join_path(path_, name));
}

std::string checkpoint_directory(const std::string& run, int64_t step) {
  char name[40];
  std::snprintf(name, sizeof name, "checkpoints/step-%08lld", static_cast<long long>(step));
  return join_path(run, name);
}

std::vector<int64_t> RunDirectory::checkpoints() const {
  std::vector<int64_t> steps;
  for (const std::string& name : list_directory(checkpoints_))
    if (const int64_t step = step_of(name); step >= 0) steps.push_back(step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::string RunDirectory::temporary() {
  return join_path(checkpoints_, text_of(kTemporary, ::getpid(), "-", counter_++));
}

void RunDirectory::remove_unseen(const std::string& directory) {
  std::error_code ignored;  // what stays behind is swept at the next start
  fs::remove_all(directory, ignored);
}

bool RunDirectory::commit(int64_t step, const std::function<void(const std::string&)>& write) {
  const std::string target = checkpoint(step), unfinished = temporary();
  if (::mkdir(unfinished.c_str(), 0755) != 0) {
    const int error = errno;
    fail<IoError>(unfinished, ": creating the directory failed: ", std::strerror(error));
  }
  try {
    write(unfinished);
    sync_directory(unfinished);
    publish(unfinished, target);
  } catch (...) {
    remove_unseen(unfinished);
    throw;
  }
  try {
    sync_directory(checkpoints_);
  } catch (const IoError& error) {
    log_warning(target, ": saved, but a power cut may still lose it: ", error.what());
    return false;
  }
  remove_unseen(unfinished);  // where an older one of this step was
  return true;
}

void RunDirectory::keep_newest(int64_t count) {
  const std::vector<int64_t> steps = checkpoints();
  const int64_t extra = static_cast<int64_t>(steps.size()) - std::max<int64_t>(count, 1);
  std::vector<std::string> gone;
  for (int64_t i = 0; i < extra; ++i) {
    // Renamed first: half a checkpoint must never bear a checkpoint's name.
    const std::string old = checkpoint(steps[static_cast<size_t>(i)]);
    gone.push_back(temporary());
    if (::rename(old.c_str(), gone.back().c_str()) == 0) continue;
    const int error = errno;  // no reason to end a run
    log_warning(old, ": could not be removed: ", std::strerror(error));
    gone.pop_back();
  }
  if (gone.empty()) return;
  try {
    sync_directory(checkpoints_);  // nor after a power cut
  } catch (const IoError& error) {
    return log_warning(error.what());
  }
  for (const std::string& directory : gone) remove_unseen(directory);
}

}  // namespace jogak
