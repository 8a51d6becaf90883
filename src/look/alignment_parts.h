// What the ways to show an alignment share.
#pragma once

#include <string>
#include <vector>

#include "look/alignment.h"

namespace jogak::alignment {

struct View {
  std::vector<std::string> source, target;  // visible
  std::vector<double> sums;                 // of the rows
  double high = 1;                          // the largest weight, rounded up to a tenth
  bool empty() const { return source.empty() || target.empty(); }
};

// ShapeError unless the weights are [target, source]; Error unless all are finite.
View view_of(const Alignment& alignment);

Words title();
Words source_words();
Words target_words();

}  // namespace jogak::alignment
