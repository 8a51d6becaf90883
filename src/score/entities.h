// How well names in a text were found, where tags say B-PER, I-PER, O.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace jogak {

struct EntityScore {
  int64_t found = 0, wanted = 0, right = 0;  // entities: kind, first and last word agree

  double precision() const { return found ? ratio(right, found) : 0; }
  double recall() const { return wanted ? ratio(right, wanted) : 0; }
  double f1() const { return found + wanted ? ratio(2 * right, found + wanted) : 0; }
  // One sentence, a label's number for each word.
  void add(std::span<const int64_t> found_tags, std::span<const int64_t> wanted_tags,
           const std::vector<std::string>& names);

 private:
  static double ratio(int64_t a, int64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  }
};

// Whether every name is O, B-something or I-something, and some begin an entity.
bool are_entity_tags(const std::vector<std::string>& names);

}  // namespace jogak
