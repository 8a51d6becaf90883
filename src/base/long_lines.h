// Lines that are too long to be read: passed over, counted, and named in one error at the end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace jogak {

class LongLines {
 public:
  // Bytes; or tokens, where a model is told of that reads so many at once.
  explicit LongLines(size_t longest, size_t model_reads = 0)
      : longest_(longest), model_reads_(model_reads) {}

  size_t longest() const { return longest_; }  // of a line that is read
  void pass_over(const std::string& file, size_t number);
  bool none() const { return files_.empty(); }  // passed over since the last complaint
  // In which lines of the file, from 1.
  const std::vector<size_t>& of(const std::string& file) const;
  // FormatError where there were any: the first eight of each file and how many. Once.
  void complain();

 private:
  struct File {
    std::string name;
    std::vector<size_t> lines;
  };
  size_t longest_, model_reads_;
  std::vector<File> files_;
};

}  // namespace jogak
