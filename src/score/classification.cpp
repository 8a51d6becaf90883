#include "score/classification.h"

#include <map>

#include "base/error.h"

namespace jogak {

ClassScore score_classes(std::span<const int64_t> found, std::span<const int64_t> wanted) {
  ensure<Error>(found.size() == wanted.size(), "found ", found.size(), " labels for ",
                wanted.size(), " examples");
  struct Counts {
    int64_t hits = 0, found = 0, wanted = 0;
  };
  std::map<int64_t, Counts> classes;
  ClassScore out;
  out.examples = static_cast<int64_t>(found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ++classes[found[i]].found;
    ++classes[wanted[i]].wanted;
    if (found[i] != wanted[i]) continue;
    ++classes[found[i]].hits;
    ++out.right;
  }
  for (const auto& [id, c] : classes)
    out.macro_f1 += 2 * static_cast<double>(c.hits) / static_cast<double>(c.found + c.wanted);
  if (!classes.empty()) out.macro_f1 /= static_cast<double>(classes.size());
  return out;
}

}  // namespace jogak
