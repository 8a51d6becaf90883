// The SHA-256 of what is read anyway, so that nothing is read twice to name its contents.
#pragma once

#include <map>
#include <string>

namespace jogak {

// While one is alive, what this thread reads to the end with read_text_file or
// read_text_file_in_pieces is hashed, unpacked, under the path it was asked for by.
class ReadDigests {
 public:
  ReadDigests();
  ~ReadDigests();
  ReadDigests(const ReadDigests&) = delete;
  ReadDigests& operator=(const ReadDigests&) = delete;

  static ReadDigests* active();  // the newest; null: none
  void keep(const std::string& path, std::string sha256) { known_[path] = std::move(sha256); }
  const std::string* find(const std::string& path) const;

 private:
  ReadDigests* before_;
  std::map<std::string, std::string> known_;
};

// The SHA-256 of a text file, unpacked, in hexadecimal; read only where it is not known.
std::string text_sha256(const std::string& path);

}  // namespace jogak
