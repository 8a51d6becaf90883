// Files: mapped for reading, replaced atomically when written. Every error names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace jogak {

// A regular file mapped read-only. FIFOs, devices and directories are refused.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::string_view text() const { return {data_, size_}; }
  const std::byte* data() const { return reinterpret_cast<const std::byte*>(data_); }
  size_t size() const { return size_; }
  const std::string& path() const { return path_; }

  // Copies bytes with read(2): should the file have been cut short meanwhile, that is an IoError,
  // where following data() would be a SIGBUS.
  void read(size_t begin, std::span<std::byte> to) const;
  void ensure_unchanged() const;  // IoError when the file was written to since it was mapped

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
  int fd_ = -1;                                   // stays open for the two checks above
  int64_t changed_seconds_ = 0, changed_ns_ = 0;  // time of the last change when mapped
  std::string path_;
};

std::string read_file(const std::string& path);

using Sink = std::function<void(std::string_view)>;
void read_file_in_pieces(const std::string& path, const Sink& take);

// As read_file, but .gz and .zst come out unpacked; more than `limit` bytes is a FormatError.
std::string read_text_file(const std::string& path, size_t limit = size_t{16} << 30);
void read_text_file_in_pieces(const std::string& path, const Sink& take,
                              size_t limit = size_t{1} << 46);

// Writes to a temporary neighbour, fsyncs, renames over `path`, fsyncs the directory: a reader
// sees the old file or the whole new one. A device or FIFO that is there is written to as it is.
void write_file(const std::string& path, std::string_view bytes);

// The same for content written piece by piece: `write` gets a sink to call as often as it likes.
void write_file_with(const std::string& path, const std::function<void(const Sink&)>& write);

void append_line(const std::string& path, std::string_view line);  // adds the newline

bool file_exists(const std::string& path);
bool is_directory(const std::string& path);
void make_directories(const std::string& path);
void sync_directory(const std::string& path);
std::vector<std::string> list_directory(const std::string& path);  // names, sorted
std::string join_path(std::string_view directory, std::string_view name);
std::string file_name(std::string_view path);

// A data file as given, then under $JOGAK_DATA, then under data/. When it is nowhere the error
// lists the places that were tried and ends with `where_to_get`.
std::string find_data(const std::string& name, const std::string& where_to_get = "");

}  // namespace jogak
