#include "nn/names.h"

#include <algorithm>

namespace jogak {

bool matches(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  const std::string_view head = pattern.substr(0, star), tail = pattern.substr(star + 1);
  return name.size() >= head.size() + tail.size() && name.starts_with(head) && name.ends_with(tail);
}

static bool any_matches(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, name); });
}

bool NameMap::is_transposed(std::string_view name) const { return any_matches(transposed, name); }

bool NameMap::is_ignored(std::string_view name) const { return any_matches(ignored, name); }

bool NameMap::takes_prefix(std::string_view name) const { return !any_matches(outside, name); }

std::string NameMap::file_name(std::string_view name) const {
  return (takes_prefix(name) ? prefix : std::string()) + std::string(name);
}

std::string NameMap::respelled(std::string name) const {
  for (const Spelling& part : spellings)
    if (const size_t at = name.find(part.ours); at != std::string::npos)
      name.replace(at, part.ours.size(), part.theirs);
  return name;
}

}  // namespace jogak
