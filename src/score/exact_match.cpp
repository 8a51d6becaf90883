#include "score/exact_match.h"

#include "base/error.h"

namespace jogak {

ExactMatch exact_match(std::span<const std::string> found, std::span<const std::string> wanted) {
  ensure(found.size() == wanted.size(), "exact match: found ", found.size(), " answers, wanted ",
         wanted.size());
  ExactMatch out{.lines = static_cast<int64_t>(wanted.size())};
  for (size_t i = 0; i < wanted.size(); ++i) out.right += found[i] == wanted[i];
  return out;
}

}  // namespace jogak
