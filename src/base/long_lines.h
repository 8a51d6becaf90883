// Lines that are too long to be read: passed over, counted, and named in one error at the end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace jogak {

class LongLines {
 public:
  explicit LongLines(size_t longest) : longest_(longest) {}

  size_t longest() const { return longest_; }  // bytes of a line that is read
  void pass_over(const std::string& file, size_t number);
  // In which lines of the file, from 1.
  const std::vector<size_t>& of(const std::string& file) const;
  // FormatError where there were any: the first eight of each file and how many. Once.
  void complain();

 private:
  struct File {
    std::string name;
    std::vector<size_t> lines;
  };
  size_t longest_;
  std::vector<File> files_;
};

}  // namespace jogak
