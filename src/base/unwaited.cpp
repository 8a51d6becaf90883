#include "base/unwaited.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/stop.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLarge = 64 << 20;
constexpr size_t kMost = 256;  // held open at a time

// Open, and for a program that is started from here, too.
void hold(const fs::path& file, std::vector<int>& held) {
  std::error_code failed;
  if (held.size() == kMost || !fs::is_regular_file(fs::symlink_status(file, failed)) ||
      fs::file_size(file, failed) < kLarge || failed)
    return;
  if (const int fd = ::open(file.c_str(), O_RDONLY); fd >= 0) held.push_back(fd);
}

void hold_all(const std::string& path, std::vector<int>& held) {
  std::error_code failed;
  hold(path, held);
  if (!fs::is_directory(fs::symlink_status(path, failed))) return;
  for (fs::recursive_directory_iterator at(path, failed), end; !failed && at != end;
       at.increment(failed))
    hold(at->path(), held);
}

// It has its own copies of what is open here; where it cannot be started, the wait is ours.
void leave_to_another(const std::vector<int>& held) {
  char name[] = "sleep", moment[] = "1";
  char* const words[] = {name, moment, nullptr};
  pid_t process = 0;
  if (!held.empty()) ::posix_spawnp(&process, name, nullptr, nullptr, words, environ);
  for (const int fd : held) ::close(fd);
}

}  // namespace

void write_unwaited(const std::string& path, std::string_view bytes) {
  ensure<Stopped>(!stop_asked() || ends_itself(), "stopped");
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  ensure<IoError>(out.good(), path, ": writing failed: ", std::strerror(errno));
}

void remove_unwaited(const std::string& path) noexcept {
  try {
    std::vector<int> held;
    hold_all(path, held);
    std::error_code ignored;
    fs::remove_all(path, ignored);
    leave_to_another(held);
  } catch (...) {  // whoever stops has nobody to tell
  }
}

}  // namespace jogak
