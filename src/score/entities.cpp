#include "score/entities.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"

namespace jogak {
namespace {

using Entity = std::tuple<std::string, size_t, size_t>;  // kind, first word, behind the last

// As conlleval and seqeval read tags: I- after another kind or after O begins an entity, too.
std::vector<Entity> entities_of(std::span<const int64_t> tags,
                                const std::vector<std::string>& names) {
  std::vector<Entity> out;
  std::string open;
  size_t first = 0;
  for (size_t i = 0; i <= tags.size(); ++i) {
    const std::string tag = i < tags.size() ? names.at(static_cast<size_t>(tags[i])) : "O";
    const bool inside = tag.size() > 2 && tag[1] == '-';
    const std::string kind = inside ? tag.substr(2) : "";
    if (inside && tag[0] == 'I' && kind == open) continue;
    if (!open.empty()) out.emplace_back(open, first, i);
    open = kind;
    first = i;
  }
  return out;
}

}  // namespace

bool are_entity_tags(const std::vector<std::string>& names) {
  const auto begins = [](const std::string& name) {
    return name.size() > 2 && (name.starts_with("B-") || name.starts_with("I-"));
  };
  return std::any_of(names.begin(), names.end(), begins) &&
         std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name == "O" || begins(name); });
}

void EntityScore::add(std::span<const int64_t> found_tags, std::span<const int64_t> wanted_tags,
                      const std::vector<std::string>& names) {
  ensure<Error>(found_tags.size() == wanted_tags.size(), "found ", found_tags.size(), " tags for ",
                wanted_tags.size(), " words");
  const std::vector<Entity> here = entities_of(found_tags, names),
                            there = entities_of(wanted_tags, names);
  found += static_cast<int64_t>(here.size());
  wanted += static_cast<int64_t>(there.size());
  for (const Entity& one : here) right += std::find(there.begin(), there.end(), one) != there.end();
}

}  // namespace jogak
