// Tokens that the files beside a vocabulary list: those with roles, further special ones, added
// ones; of directories without a tokenizer.json.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "text/encoding.h"
#include "text/models/vocab.h"
#include "text/tokenizer_parts.h"

namespace jogak::text {

// The JSON of a file, or an empty object.
Json read_if_there(const std::string& path);

// Finds added tokens in the files and gives each the id it has or the next one.
class ListedTokens {
 public:
  // `roles`: what the class says where no file does.
  ListedTokens(const Vocab& vocab, TokenizerParts& parts, std::string vocab_path,
               const std::map<std::string, std::string>& roles);

  // tokenizer_config.json of the folder, or in older ones files of their own.
  void read_folder(const std::string& folder, const Fields& config);
  void strip_left(const char* role);  // blanks before it belong to it
  void add_all();                     // to the parts, with their roles

  bool has(const char* role) const { return roles_.contains(role); }
  const std::string& content(const char* role) const { return roles_.at(role).content; }
  SpecialToken special(const char* role) const;

 private:
  void read_special(const Fields& fields);
  void read_decoder(const Fields& fields);
  void read_added(const Fields& fields);
  bool has_role(const std::string& content) const;
  bool is_extra(const std::string& content) const;
  void set_role(const std::string& role, AddedToken token);
  int id_of(const std::string& content) const;
  void add(AddedToken token);

  const Vocab& vocab_;
  TokenizerParts& parts_;
  std::string vocab_path_;
  std::map<std::string, AddedToken> roles_;
  std::vector<AddedToken> listed_, extra_;
  int fresh_ = 0;  // tokens that the vocabulary does not have
};

}  // namespace jogak::text
