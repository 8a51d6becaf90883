#include "text/vocab.h"

#include "text/reading.h"

namespace jogak::text {
namespace {

int read_id(const std::string& token, const Json& value, size_t tokens, const std::string& file) {
  const auto highest = static_cast<int64_t>(tokens) + Vocab::kMaxGap;
  const bool good = value.is_integer() && value.integer() >= 0 && value.integer() < highest;
  if (!good) {
    const std::string found = value.is_number() ? value.dump() : value.kind_name();
    fail<FormatError>(file, ": byte ", value.offset(), ": token ", shown(token), ": found ", found,
                      ", wanted an id from 0 to ", highest - 1, " (", tokens,
                      " tokens and at most ", Vocab::kMaxGap, " numbers left out)");
  }
  return static_cast<int>(value.integer());
}

}  // namespace

Vocab Vocab::read(const Json& object, const std::string& file) {
  ensure<FormatError>(object.is_object(), file, ": byte ", object.offset(), ": found ",
                      object.kind_name(), ", wanted an object of tokens and ids");
  Vocab vocab;
  const auto& members = object.members();
  for (const auto& [token, value] : members) {
    const int id = read_id(token, value, members.size(), file);
    if (vocab.has(id))
      fail<FormatError>(file, ": byte ", value.offset(), ": id ", id, " is given twice, to ",
                        shown(vocab.token(id)), " and ", shown(token));
    vocab.add(token, id);
  }
  return vocab;
}

Json Vocab::to_json() const {
  std::vector<Json::Member> members;
  members.reserve(count());
  for (int id = 0; id < size(); ++id)
    if (has(id)) members.emplace_back(std::string(token(id)), Json(id));
  return Json::object(std::move(members));
}

void Vocab::add(std::string_view token, int id) {
  const auto key_at = [&](uint32_t entry) { return text_at(entry); };
  if (has(id) || !index_.insert(token, key_at).second)
    fail("vocabulary: token ", shown(token), " or id ", id, " is there already");
  if (id >= size()) entry_of_.resize(static_cast<size_t>(id) + 1, kNone);
  entry_of_[id] = static_cast<uint32_t>(entries_.size());
  entries_.push_back({bytes_.size(), static_cast<uint32_t>(token.size())});
  id_of_.push_back(id);
  bytes_ += token;
}

int Vocab::find(std::string_view token) const {
  const uint32_t entry = index_.find(token, [&](uint32_t e) { return text_at(e); });
  return entry == kNone ? -1 : id_of_[entry];
}

}  // namespace jogak::text
