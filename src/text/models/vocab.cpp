#include "text/models/vocab.h"

#include "text/reading.h"

namespace jogak::text {
namespace {

int read_id(std::string_view token, const JsonView& value, size_t tokens) {
  const auto highest = static_cast<int64_t>(tokens) + Vocab::kMaxGap;
  const bool good =
      value.is(Json::Kind::integer) && value.integer() >= 0 && value.integer() < highest;
  if (!good) {
    const bool number = value.is(Json::Kind::integer) || value.is(Json::Kind::number);
    fail<FormatError>(value.file(), ": byte ", value.offset(), ": token ", shown(token), ": found ",
                      number ? value.to_json().dump() : value.kind_name(),
                      ", wanted an id from 0 to ", highest - 1, " (", tokens,
                      " tokens and at most ", Vocab::kMaxGap, " numbers left out)");
  }
  return static_cast<int>(value.integer());
}

}  // namespace

Vocab Vocab::read(const JsonView& object) {
  ensure<FormatError>(object.is(Json::Kind::object), object.file(), ": byte ", object.offset(),
                      ": found ", object.kind_name(), ", wanted an object of tokens and ids");
  Vocab vocab;
  vocab.reserve(object.size());
  size_t until_batch = 0;
  for (auto at = object.begin(); at != object.end(); ++at) {
    if (until_batch-- == 0) {
      std::vector<std::string_view> keys;
      for (auto next = at; next != object.end() && keys.size() < kBatch; ++ ++next)
        keys.push_back((*next).text());
      vocab.expect(keys);
      until_batch = kBatch - 1;
    }
    const JsonView key = *at, value = *++at;
    const std::string_view token = key.text();
    const int id = read_id(token, value, object.size());
    if (vocab.has(id))
      fail<FormatError>(object.file(), ": byte ", value.offset(), ": id ", id,
                        " is given twice, to ", shown(vocab.token(id)), " and ", shown(token));
    if (!vocab.try_add(token, id))
      fail<FormatError>(object.file(), ": byte ", key.offset(), ": found key ", json_quote(token),
                        " a second time, wanted each key once");
  }
  return vocab;
}

void Vocab::reserve(size_t tokens) {
  index_.reserve(tokens);
  entries_.reserve(tokens);
  entry_of_.reserve(tokens);
  bytes_.reserve(8 * tokens);
}

Json Vocab::to_json() const {
  std::vector<Json::Member> members;
  members.reserve(count());
  for (int id = 0; id < size(); ++id)
    if (has(id)) members.emplace_back(std::string(token(id)), Json(id));
  return Json::object(std::move(members));
}

bool Vocab::try_add(std::string_view token, int id) {
  const auto key_at = [&](uint32_t entry) { return text_at(entry); };
  if (has(id) || !index_.insert(token, key_at).second) return false;
  if (id >= size()) entry_of_.resize(static_cast<size_t>(id) + 1, kNone);
  entry_of_[id] = static_cast<uint32_t>(entries_.size());
  entries_.push_back({bytes_.size(), static_cast<uint32_t>(token.size()), id});
  bytes_ += token;
  return true;
}

void Vocab::add(std::string_view token, int id) {
  if (!try_add(token, id))
    fail("vocabulary: token ", shown(token), " or id ", id, " is there already");
}

void Vocab::expect(std::span<const std::string_view> tokens) const {
  uint64_t hashes[kBatch];
  ensure(tokens.size() <= kBatch, "vocabulary: ", tokens.size(), " tokens at once");
  for (size_t i = 0; i < tokens.size(); ++i) index_.fetch(hashes[i] = hash_of(tokens[i]));
  for (size_t i = 0; i < tokens.size(); ++i)
    if (const uint32_t entry = index_.likely(hashes[i]); entry != kNone)
      __builtin_prefetch(&entries_[entry]);
  for (size_t i = 0; i < tokens.size(); ++i)
    if (const uint32_t entry = index_.likely(hashes[i]); entry != kNone)
      __builtin_prefetch(bytes_.data() + entries_[entry].from);
}

int Vocab::find(std::string_view token) const {
  const uint32_t entry = index_.find(token, [&](uint32_t e) { return text_at(e); });
  return entry == kNone ? -1 : entries_[entry].id;
}

}  // namespace jogak::text
