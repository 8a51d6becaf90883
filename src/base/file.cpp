#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/mapped_place.h"
#include "base/stop.h"
#include "base/unwaited.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;

// Bytes of one call to the kernel, within which no signal is noticed: a busy machine takes half a
// minute to read half a gigabyte into fresh memory.
constexpr size_t kAtOnce = size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

[[noreturn]] void fail_io(const std::string& path, std::string_view doing) {
  const int error = errno;
  fail<IoError>(path, ": ", doing, " failed: ", std::strerror(error));
}

int open_for_reading(const std::string& path, struct stat& info) {
  Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) fail<MissingError>(path, ": no such file");
    fail_io(path, "opening");
  }
  if (::fstat(fd.get(), &info) != 0) fail_io(path, "reading its size");
  ensure<FormatError>(S_ISREG(info.st_mode), path, ": found ",
                      S_ISDIR(info.st_mode) ? "a directory" : "a pipe or device",
                      ", wanted a regular file");
  return fd.release();
}

void write_all(int fd, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_io(path, "writing");
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

// Unique among processes and among threads of this one.
std::string temporary_name(const std::string& path) {
  static std::atomic<uint64_t> counter{0};
  return text_of(path, ".tmp-", ::getpid(), "-", counter++);
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  struct stat info {};
  Descriptor fd(open_for_reading(path, info));
  changed_seconds_ = info.st_mtim.tv_sec;
  changed_ns_ = info.st_mtim.tv_nsec;
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) {
    data_ = "";
  } else {
    void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (mapped == MAP_FAILED) fail_io(path, "mapping");
    data_ = static_cast<const char*>(mapped);
    detail::note_mapping(data_, size, path);
  }
  size_ = size;
  fd_ = fd.release();
}

MappedFile::~MappedFile() {
  if (size_ > 0) {
    detail::forget_mapping(data_);
    ::munmap(const_cast<char*>(data_), size_);
  }
  if (fd_ >= 0) ::close(fd_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(fd_, other.fd_);
  std::swap(changed_seconds_, other.changed_seconds_);
  std::swap(changed_ns_, other.changed_ns_);
  std::swap(path_, other.path_);
  return *this;
}

void MappedFile::read(size_t begin, std::span<std::byte> to) const {
  ensure<IoError>(begin <= size_ && to.size() <= size_ - begin, path_, ": bytes ", begin, " to ",
                  begin + to.size(), " asked for, the file has ", size_);
  size_t got = 0;
  while (got < to.size()) {
    const ssize_t n = ::pread(fd_, to.data() + got, std::min(to.size() - got, kAtOnce),
                              static_cast<off_t>(begin + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_io(path_, "reading");
    ensure<IoError>(n > 0, path_, ": ended at byte ", begin + got, " while being read, wanted ",
                    size_);
    got += static_cast<size_t>(n);
  }
}

void MappedFile::ensure_unchanged() const {
  if (fd_ < 0) return;
  struct stat info {};
  if (::fstat(fd_, &info) != 0) fail_io(path_, "reading its size");
  ensure<IoError>(static_cast<size_t>(info.st_size) == size_, path_,
                  ": its size changed while it was in use: found ", info.st_size, " bytes, wanted ",
                  size_);
  ensure<IoError>(info.st_mtim.tv_sec == changed_seconds_ && info.st_mtim.tv_nsec == changed_ns_,
                  path_, ": it was written to while it was in use");
}

std::string read_file(const std::string& path) {
  struct stat info {};
  const Descriptor fd(open_for_reading(path, info));
  std::string out(static_cast<size_t>(info.st_size), '\0');
  size_t got = 0;
  while (got < out.size()) {
    const ssize_t n = ::read(fd.get(), out.data() + got, std::min(out.size() - got, kAtOnce));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_io(path, "reading");
    ensure<IoError>(n > 0, path, ": ended at byte ", got, " while being read, wanted ", out.size());
    got += static_cast<size_t>(n);
  }
  return out;
}

void read_file_in_pieces(const std::string& path, const Sink& take) {
  struct stat info {};
  const Descriptor fd(open_for_reading(path, info));
  std::string piece(kAtOnce, '\0');
  for (int64_t got = 0;;) {
    const ssize_t n = ::read(fd.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_io(path, "reading");
    ensure<IoError>(n > 0 || got >= info.st_size, path, ": ended at byte ", got,
                    " while being read, wanted ", info.st_size);
    if (n == 0) return;
    got += n;
    take(std::string_view(piece).substr(0, static_cast<size_t>(n)));
  }
}

// A large file goes on its way to the disk while it is written, at most two pieces behind: the
// fsync at its end waits for little, and who tells how much is written tells of the disk, not of
// memory. Nobody can be ended while the disk has pages of his: a piece is what it takes in a
// moment, however busy it is with others, and between two there is a look at whether to go on.
class SteadyWriter {
 public:
  SteadyWriter(int fd, const std::string& path) : fd_(fd), path_(path) {}
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t now = std::min(bytes.size(), static_cast<size_t>(piece_ - written_));
      write_all(fd_, path_, bytes.substr(0, now));
      bytes.remove_prefix(now);
      written_ += static_cast<off64_t>(now);
      if (written_ == piece_) next_piece();
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr off64_t kSmallest = 256 << 10, kLargest = 4 << 20;

  void next_piece() {
    ensure<Stopped>(!stop_asked() || ends_itself(), "stopped");
    const auto from = Clock::now();
    sync(begun_, piece_, SYNC_FILE_RANGE_WRITE);
    if (before_ > 0)
      sync(begun_ - before_, before_,
           SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    begun_ += piece_;
    before_ = piece_;
    written_ = 0;
    piece_ = next_size(piece_, Clock::now() - from);
  }
  static off64_t next_size(off64_t piece, Clock::duration took) {
    using std::chrono::milliseconds;
    if (took > milliseconds(50)) return std::max(piece / 2, kSmallest);
    return took < milliseconds(20) ? std::min(2 * piece, kLargest) : piece;
  }
  // What it finds wrong the kernel says but once: not again at the fsync.
  void sync(off64_t from, off64_t bytes, unsigned flags) {
    if (::sync_file_range(fd_, from, bytes, flags) == 0) return;
    if (errno != ENOSYS && errno != EINVAL && errno != ESPIPE) fail_io(path_, "writing");
  }

  int fd_;
  const std::string& path_;
  // The piece that is being written: where it begins, its size, how much is there; and the size of
  // the one before it.
  off64_t begun_ = 0, piece_ = kSmallest, written_ = 0, before_ = 0;
};

// Collects what `write` hands over and passes it on in large pieces.
static void write_through(int fd, const std::string& path,
                          const std::function<void(const Sink&)>& write) {
  SteadyWriter out(fd, path);
  std::string buffer;
  buffer.reserve(1 << 20);
  const Sink sink = [&](std::string_view bytes) {
    if (buffer.size() + bytes.size() > buffer.capacity()) {
      out.write(buffer);
      buffer.clear();
      if (bytes.size() >= buffer.capacity()) return out.write(bytes);
    }
    buffer.append(bytes);
  };
  write(sink);
  out.write(buffer);
}

// /dev/stdout, a FIFO: there is nothing to replace, and a rename would take the device away.
static bool is_special(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

void write_file_with(const std::string& path, const std::function<void(const Sink&)>& write) {
  if (is_special(path)) {
    Descriptor fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (fd.get() < 0) fail_io(path, "opening");
    write_through(fd.get(), path, write);
    if (::close(fd.release()) != 0) fail_io(path, "closing");
    return;
  }
  const std::string temporary = temporary_name(path);
  Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (fd.get() < 0) fail_io(path, "creating");
  const Unfinished goes([&] { remove_unwaited(temporary); });
  try {
    write_through(fd.get(), path, write);
    if (::fsync(fd.get()) != 0) fail_io(path, "fsync");
    if (::close(fd.release()) != 0) fail_io(path, "closing");
    if (::rename(temporary.c_str(), path.c_str()) != 0) fail_io(path, "renaming");
  } catch (...) {
    remove_unwaited(temporary);
    throw;
  }
  sync_directory(fs::path(path).parent_path().string());
}

void write_file(const std::string& path, std::string_view bytes) {
  write_file_with(path, [&](const Sink& sink) { sink(bytes); });
}

void append_line(const std::string& path, std::string_view line) {
  const Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (fd.get() < 0) fail_io(path, "opening");
  write_all(fd.get(), path, std::string(line) + '\n');
}

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

void make_directories(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  fs::path there = whole;  // the deepest that was there before
  while (there.has_relative_path() && !fs::exists(there, error)) there = there.parent_path();
  fs::create_directories(path, error);
  ensure<IoError>(!error, path, ": creating the directory failed: ", error.message());
  for (fs::path at = whole; at != there; at = at.parent_path())
    sync_directory(at.parent_path().string());
}

void sync_directory(const std::string& path) {
  const std::string name = path.empty() ? "." : path;
  const Descriptor fd(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) fail_io(name, "opening the directory");
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != EROFS) fail_io(name, "fsync");
}

std::vector<std::string> list_directory(const std::string& path) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  if (error == std::errc::no_such_file_or_directory)
    fail<MissingError>(path, ": no such directory");
  ensure<IoError>(!error, path, ": listing failed: ", error.message());
  std::sort(names.begin(), names.end());
  return names;
}

std::string join_path(std::string_view directory, std::string_view name) {
  return (fs::path(directory) / fs::path(name)).string();
}

std::string file_name(std::string_view path) { return fs::path(path).filename().string(); }

std::string find_data(const std::string& name, const std::string& where_to_get) {
  if (file_exists(name)) return name;
  std::string tried = name;
  const char* root = std::getenv("JOGAK_DATA");
  for (const char* place : {root, "data"}) {
    if (place == nullptr || *place == '\0' || fs::path(name).is_absolute()) continue;
    const std::string path = join_path(place, name);
    if (file_exists(path)) return path;
    tried += ", " + path;
  }
  fail<MissingError>(name, ": not found (looked for ", tried,
                     root ? "" : "; $JOGAK_DATA is not set", ")",
                     where_to_get.empty() ? "" : "; get it from ", where_to_get);
}

}  // namespace jogak
