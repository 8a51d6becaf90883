// Tokens that are found in the text as they stand, before the model sees it: the "added_tokens"
// of a tokenizer.json, special ones such as <|endoftext|> among them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/json.h"
#include "text/aligned_text.h"
#include "text/matcher.h"
#include "text/models/vocab.h"
#include "text/stages/normalizer.h"

namespace jogak::text {

struct AddedToken {
  int id = 0;
  std::string content{};
  std::string written{};     // what it decodes to: the content, normalized if it is to be
  bool single_word = false;  // only where no word goes on before or after
  bool lstrip = false;       // takes the spaces before it
  bool rstrip = false;       // takes the spaces after it
  bool normalized = false;   // looked for in the normalized text
  bool special = false;      // left out by decoding
};

class AddedTokens {
 public:
  static AddedTokens read(const Json& list, const Vocab& vocab, const std::string& file);
  Json to_json() const;  // in the order of ids

  // The token must agree with the vocabulary: its id is free there or belongs to its content.
  // `place` opens the error message.
  void add(AddedToken token, const Vocab& vocab, const std::string& place);
  void finish(const Normalizer* normalizer);  // after the last one, before split()

  enum class Which { plain, normalized };
  // The stretches of the text in order; those that are a token come with it, others with null.
  using Sink = FunctionRef<void(Span, const AddedToken*)>;
  // Whether bytes of the text were written by a user: a special token is not made of them.
  using FromUser = FunctionRef<bool(Span)>;
  struct Rules {
    bool special_as_text = false;
    const FromUser* from_user = nullptr;
  };
  void split(std::string_view text, Which which, const Rules& rules, Sink out) const;

  const AddedToken* find(std::string_view content) const;
  const AddedToken* find(int id) const;
  bool leaves_out(const AddedToken& token) const;  // by a decoding without special tokens
  int max_id() const { return max_id_; }           // -1 when there is none
  bool empty() const { return tokens_.empty(); }

 private:
  struct Search {
    Matcher matcher;
    std::vector<uint32_t> tokens;  // by pattern
  };
  struct Found {
    Span part;
    const AddedToken* token;
  };
  std::vector<Found> found(std::string_view text, const Search& search, const Rules& rules) const;
  std::vector<AddedToken> tokens_;
  StringIndex by_content_;
  FlatMap by_id_;
  int max_id_ = -1;
  Search plain_, normalized_;
};

}  // namespace jogak::text
