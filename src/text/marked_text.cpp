#include "text/marked_text.h"

#include <algorithm>

namespace jogak {

void MarkedText::append(std::string_view bytes, bool user) {
  if (user && marks_.empty()) marks_.assign(bytes_.size(), kOurs);
  bytes_ += bytes;
  if (user || !marks_.empty()) marks_.resize(bytes_.size(), user ? kUser : kOurs);
}

void MarkedText::append(const MarkedText& other, size_t from, size_t to) {
  to = std::min(to, other.size());
  if (from >= to) return;
  const bool marked = !other.marks_.empty();
  if (marked && marks_.empty()) marks_.assign(bytes_.size(), kOurs);
  bytes_.append(other.bytes_, from, to - from);
  if (marked)
    marks_.append(other.marks_, from, to - from);
  else if (!marks_.empty())
    marks_.resize(bytes_.size(), kOurs);
}

MarkedText MarkedText::part(size_t from, size_t to) const {
  MarkedText out;
  out.append(*this, from, to);
  return out;
}

}  // namespace jogak
