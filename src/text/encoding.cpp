#include "text/encoding.h"

namespace jogak {
namespace {

template <class Item>
void add(std::vector<Item>& to, const std::vector<Item>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

template <class Item>
void cut(std::vector<Item>& list, size_t from, size_t to) {
  if (list.empty()) return;
  list.erase(list.begin() + static_cast<ptrdiff_t>(to), list.end());
  list.erase(list.begin(), list.begin() + static_cast<ptrdiff_t>(from));
}

}  // namespace

void Encoding::append(const Encoding& other) {
  add(ids, other.ids);
  add(tokens, other.tokens);
  add(offsets, other.offsets);
  add(type_ids, other.type_ids);
  add(special_mask, other.special_mask);
  add(attention_mask, other.attention_mask);
}

void Encoding::keep(size_t from, size_t to) {
  cut(ids, from, to);
  cut(tokens, from, to);
  cut(offsets, from, to);
  cut(type_ids, from, to);
  cut(special_mask, from, to);
  cut(attention_mask, from, to);
}

void append_special(Encoding& to, const SpecialToken& token, int type_id) {
  to.ids.push_back(token.id);
  if (to.ids_only) return;
  to.tokens.push_back(token.token);
  to.offsets.push_back({});
  to.type_ids.push_back(type_id);
  to.special_mask.push_back(1);
  to.attention_mask.push_back(1);
}

}  // namespace jogak
