#include "text/added_tokens.h"

#include <algorithm>
#include <utility>

#include "text/reading.h"
#include "text/unicode/unicode.h"

namespace jogak::text {

AddedTokens AddedTokens::read(const Json& list, const Vocab& vocab, const std::string& file) {
  ensure<FormatError>(list.is_array(), file, ": byte ", list.offset(), ": \"added_tokens\": found ",
                      list.kind_name(), ", wanted an array");
  AddedTokens added;
  const int64_t highest =
      vocab.size() + static_cast<int64_t>(list.items().size()) + Vocab::kMaxGap - 1;
  for (const Json& item : list.items()) {
    const Fields fields(item, file);
    only_keys(fields,
              {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
    AddedToken token;
    token.id = static_cast<int>(fields.integer("id", {0, highest}));
    token.content = fields.text("content");
    token.single_word = fields.flag_or("single_word", false);
    token.lstrip = fields.flag_or("lstrip", false);
    token.rstrip = fields.flag_or("rstrip", false);
    token.special = fields.flag_or("special", false);
    token.normalized = fields.flag_or("normalized", !token.special);
    added.add(std::move(token), vocab, text_of(file, ": byte ", item.offset()));
  }
  return added;
}

void AddedTokens::add(AddedToken token, const Vocab& vocab, const std::string& place) {
  ensure<FormatError>(!token.content.empty(), place, ": an added token is empty");
  const int known = vocab.find(token.content);
  if (known >= 0 && known != token.id)
    fail<FormatError>(place, ": added token ", shown(token.content), " has the id ", token.id,
                      ", the vocabulary gives it ", known);
  if (known < 0 && vocab.has(token.id))
    fail<FormatError>(place, ": added token ", shown(token.content), " has the id ", token.id,
                      " of the token ", shown(vocab.token(token.id)));
  if (const AddedToken* other = find(token.id))
    fail<FormatError>(place, ": added tokens ", shown(other->content), " and ",
                      shown(token.content), " have the same id ", token.id);
  const auto number = static_cast<uint32_t>(tokens_.size());
  const auto content_at = [&](uint32_t i) { return std::string_view(tokens_[i].content); };
  if (!by_content_.insert(token.content, content_at).second)
    fail<FormatError>(place, ": added token ", shown(token.content), " is there a second time");
  by_id_.insert(static_cast<uint64_t>(token.id), number);
  max_id_ = std::max(max_id_, token.id);
  tokens_.push_back(std::move(token));
}

void AddedTokens::finish(const Normalizer* normalizer) {
  for (uint32_t i = 0; i < tokens_.size(); ++i) {
    AddedToken& token = tokens_[i];
    token.written = token.content;
    if (token.normalized && normalizer)
      token.written =
          normalizer->apply(AlignedText(token.content, {0, token.content.size()})).text();
    if (token.written.empty()) continue;  // nothing is left of it to be found
    Search& search = token.normalized ? normalized_ : plain_;
    search.matcher.add(token.written);
    search.tokens.push_back(i);
  }
  plain_.matcher.finish();
  normalized_.matcher.finish();
}

// What stands in the text, from left to right. A token that a user spelled is as if it were not
// there: what overlaps it, or is shorter and starts where it does, may be one.
std::vector<AddedTokens::Found> AddedTokens::found(std::string_view text, const Search& search,
                                                   const Rules& rules) const {
  std::vector<Found> out;
  if (search.matcher.empty()) return out;
  const auto token_of = [&](const Matcher::Hit& hit) {
    return &tokens_[search.tokens[static_cast<size_t>(hit.pattern)]];
  };
  if (!rules.from_user) {
    for (const Matcher::Hit& hit : search.matcher.find(text))
      out.push_back({{hit.from, hit.to}, token_of(hit)});
    return out;
  }
  size_t done = 0;
  const auto refused = [&](const AddedToken& token, Span part) {
    return token.special && (*rules.from_user)(part);
  };
  for (const Matcher::Hit& hit : search.matcher.find_all(text)) {
    if (hit.from < done) continue;
    Found one{{hit.from, hit.to}, token_of(hit)};
    while (one.token && refused(*one.token, one.part)) {
      one.token = nullptr;
      while (!one.token && --one.part.to > one.part.from) {
        const AddedToken* shorter = find(text.substr(hit.from, one.part.to - hit.from));
        if (shorter && !shorter->normalized && &search == &plain_) one.token = shorter;
      }
    }
    if (!one.token) continue;
    out.push_back(one);
    done = one.part.to;
  }
  return out;
}

void AddedTokens::split(std::string_view text, Which which, const Rules& rules, Sink out) const {
  const Search& search = which == Which::plain ? plain_ : normalized_;
  size_t done = 0;
  Span spaces;  // the run of spaces looked at last
  for (const auto& [hit, found_token] : found(text, search, rules)) {
    const AddedToken& token = *found_token;
    if (rules.special_as_text && token.special) continue;
    if (token.single_word &&
        (ends_with_word(text.substr(0, hit.from)) || starts_with_word(text.substr(hit.to))))
      continue;
    Span part{hit.from, hit.to};
    if (token.lstrip) {  // but not what the token before it has taken
      if (done < hit.from) part.from -= trailing_space(text.substr(done, hit.from - done));
      part.from = std::min(std::max(part.from, done), part.to);
    }
    if (token.rstrip) {
      if (hit.to < spaces.from || hit.to > spaces.to)  // else it is the run found before
        spaces = {hit.to, hit.to + leading_space(text.substr(hit.to))};
      part.to = spaces.to;
    }
    if (done < part.from) out({done, part.from}, nullptr);
    out(part, &token);
    done = part.to;
  }
  if (done < text.size()) out({done, text.size()}, nullptr);
}

const AddedToken* AddedTokens::find(std::string_view content) const {
  const uint32_t at =
      by_content_.find(content, [&](uint32_t i) { return std::string_view(tokens_[i].content); });
  return at == kNone ? nullptr : &tokens_[at];
}

const AddedToken* AddedTokens::find(int id) const {
  const uint32_t at = by_id_.find(static_cast<uint64_t>(id));
  return at == kNone ? nullptr : &tokens_[at];
}

// The reference asks by text, so a special token that normalizing has changed is kept.
bool AddedTokens::leaves_out(const AddedToken& token) const {
  const AddedToken* same = find(token.written);
  return same && same->special;
}

Json AddedTokens::to_json() const {
  std::vector<const AddedToken*> order;
  for (const AddedToken& token : tokens_) order.push_back(&token);
  std::sort(order.begin(), order.end(),
            [](const AddedToken* a, const AddedToken* b) { return a->id < b->id; });
  Json list = Json::array();
  for (const AddedToken* token : order)
    list.push(Json::object({{"id", token->id},
                            {"content", token->content},
                            {"single_word", token->single_word},
                            {"lstrip", token->lstrip},
                            {"rstrip", token->rstrip},
                            {"normalized", token->normalized},
                            {"special", token->special}}));
  return list;
}

}  // namespace jogak::text
