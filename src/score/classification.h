// How well labels were told: accuracy and F1.
#pragma once

#include <cstdint>
#include <span>

namespace jogak {

struct ClassScore {
  int64_t examples = 0, right = 0;
  double macro_f1 = 0;  // mean over the classes that occur, found or wanted; 0 to 1
  double accuracy() const {
    return examples ? static_cast<double>(right) / static_cast<double>(examples) : 0;
  }
};

// F1 of a class is 2 * hits / (found + wanted), as scikit-learn's f1_score(average="macro").
ClassScore score_classes(std::span<const int64_t> found, std::span<const int64_t> wanted);

}  // namespace jogak
