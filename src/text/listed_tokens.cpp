#include "text/listed_tokens.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/file.h"
#include "text/reading.h"

namespace jogak::text {
namespace {

// A token as text, or with all its settings.
AddedToken token_of(const Json& value, const Fields& from, std::string_view key) {
  AddedToken token;
  token.special = true;
  if (value.is_string()) {
    token.content = value.text();
    return token;
  }
  if (!value.is_object()) from.wrong(value, key, "a token");
  const Fields fields(value, from.file());
  token.content = fields.text("content");
  token.single_word = fields.flag_or("single_word", false);
  token.lstrip = fields.flag_or("lstrip", false);
  token.rstrip = fields.flag_or("rstrip", false);
  token.special = fields.flag_or("special", true);
  token.normalized = fields.flag_or("normalized", false);
  return token;
}

}  // namespace

Json read_if_there(const std::string& path) {
  return file_exists(path) ? read_json_file(path) : Json::object();
}

ListedTokens::ListedTokens(const Vocab& vocab, TokenizerParts& parts, std::string vocab_path,
                           const std::map<std::string, std::string>& roles)
    : vocab_(vocab), parts_(parts), vocab_path_(std::move(vocab_path)) {
  for (const auto& [role, token] : roles) set_role(role, {.content = token, .special = true});
}

void ListedTokens::read_folder(const std::string& folder, const Fields& config) {
  read_special(config);
  if (config.has("added_tokens_decoder"))
    return read_decoder(config.object("added_tokens_decoder"));
  for (const bool added : {false, true}) {  // older directories say it in files of their own
    const std::string path = folder + (added ? "added_tokens.json" : "special_tokens_map.json");
    const Json json = read_if_there(path);
    added ? read_added(Fields(json, path)) : read_special(Fields(json, path));
  }
}

// The tokens with roles and the further special ones of a file; later files count more.
void ListedTokens::read_special(const Fields& fields) {
  for (const char* role : kTokenRoles)
    if (fields.has(role)) set_role(role, token_of(fields.at(role), fields, role));
  for (const char* key : {"additional_special_tokens", "extra_special_tokens"})
    if (fields.has(key))
      for (const Json& one : fields.list(key)) extra_.push_back(token_of(one, fields, key));
}

// {"30000": {"content": ...}, ...} of tokenizer_config.json
void ListedTokens::read_decoder(const Fields& fields) {
  for (const auto& [key, value] : fields.json().members()) {
    int id = -1;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
    if (error != std::errc() || end != key.data() + key.size() || id < 0)
      fields.wrong(value, "added_tokens_decoder", "an id for its key instead of " + shown(key));
    AddedToken token = token_of(value, fields, key);
    const Fields settings(value, fields.file());
    token.id = id;
    token.special = settings.flag_or("special", false) || has_role(token.content);
    token.normalized = settings.flag_or("normalized", !token.special);
    listed_.push_back(std::move(token));
  }
}

// {"token": id, ...} of added_tokens.json
void ListedTokens::read_added(const Fields& fields) {
  for (const auto& [content, value] : fields.json().members()) {
    const auto id = static_cast<int>(fields.integer(content, {0, INT32_MAX}));
    const bool special = has_role(content) || is_extra(content);
    listed_.push_back({.id = id, .content = content, .normalized = !special, .special = special});
  }
}

void ListedTokens::strip_left(const char* role) { roles_.at(role).lstrip = true; }

// In the order of the reference: those with ids, those with roles, the further special ones.
void ListedTokens::add_all() {
  std::sort(listed_.begin(), listed_.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  for (const AddedToken& token : listed_) {
    const int given = id_of(token.content);
    ensure<FormatError>(token.id == given, vocab_path_, ": byte 0: found ", given, " for ",
                        shown(token.content), ", wanted its id ", token.id,
                        " of the list of added tokens");
    add(token);
  }
  for (const char* role : kTokenRoles)
    if (const auto found = roles_.find(role); found != roles_.end()) add(found->second);
  for (const AddedToken& token : extra_) add(token);
  for (const auto& [role, token] : roles_) parts_.roles[role] = token.content;
}

SpecialToken ListedTokens::special(const char* role) const {
  return {parts_.added.find(content(role))->id, content(role)};
}

bool ListedTokens::has_role(const std::string& content) const {
  return std::any_of(roles_.begin(), roles_.end(),
                     [&](const auto& role) { return role.second.content == content; });
}

bool ListedTokens::is_extra(const std::string& content) const {
  return std::any_of(extra_.begin(), extra_.end(),
                     [&](const AddedToken& token) { return token.content == content; });
}

void ListedTokens::set_role(const std::string& role, AddedToken token) {
  token.special = true;
  roles_[role] = std::move(token);
}

int ListedTokens::id_of(const std::string& content) const {
  const int known = vocab_.find(content);
  return known >= 0 ? known : static_cast<int>(vocab_.count()) + fresh_;
}

void ListedTokens::add(AddedToken token) {
  if (parts_.added.find(token.content)) return;
  token.id = id_of(token.content);
  fresh_ += vocab_.find(token.content) < 0;
  parts_.added.add(std::move(token), vocab_, vocab_path_);
}

}  // namespace jogak::text
