// A tokenizer as its tokenizer.json describes it: text -> tokens -> text. Constant once made, so
// any number of threads may use one at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/encoding.h"
#include "text/marked_text.h"

namespace jogak {

struct TokenizerParts;  // tokenizer_parts.h

struct EncodeOptions {
  bool add_special = true;            // what the post-processor puts around a text
  bool special_as_text = false;       // <|endoftext|> in the text is ordinary text, not one token
  bool limits = false;                // truncation and padding as the file says
  size_t most = 0;                    // tokens, special ones included; the end goes. 0: any number
  const MarkedText* marks = nullptr;  // of the one text: see encode_ids
};

class Tokenizer {
 public:
  explicit Tokenizer(TokenizerParts parts);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // A tokenizer.json, a SentencePiece .model or BERT's vocab.txt, or a directory with one of them,
  // or with vocab.json + merges.txt (also under the names encoder.json + vocab.bpe).
  static Tokenizer load(const std::string& path);
  static Tokenizer from_json(std::string_view json, const std::string& name);
  // `more`: special tokens whose ids follow those of the pieces.
  static Tokenizer from_spm(std::string bytes, const std::string& name,
                            const std::vector<std::string>& more = {});
  static Tokenizer load_gpt2(const std::string& vocab_path, const std::string& merges_path);
  // With the tokenizer_config.json beside it, and the older files that go with that.
  static Tokenizer load_bert(const std::string& vocab_path);

  // Text must be valid UTF-8; otherwise a FormatError names the byte.
  Encoding encode(std::string_view text, EncodeOptions options = {}) const;
  Encoding encode_pair(std::string_view first, std::string_view second,
                       EncodeOptions options = {}) const;
  // With limits all are padded to the same length.
  std::vector<Encoding> encode_batch(std::span<const std::string_view> texts,
                                     EncodeOptions options = {}) const;
  // The tokens of encode(), some thousands at a time: those of a long text are never all in memory.
  void encode_in_pieces(std::string_view text, EncodeOptions options,
                        const std::function<void(const Encoding&)>& take) const;
  // Where the file cuts longer texts off at their end, after so many tokens, and `limits` asks.
  std::optional<size_t> cut_after() const;
  std::vector<int> encode_ids(std::string_view text, EncodeOptions options = {}) const;
  // A special token is never made of what a user wrote; otherwise the ids are those of the text.
  std::vector<int> encode_ids(const MarkedText& text, EncodeOptions options = {}) const;

  // Ids that no token has are left out, as the reference does; negative ones are an error.
  std::string decode(std::span<const int> ids, bool skip_special = true) const;

  int vocab_size() const;  // largest id + 1: the rows an embedding needs
  std::optional<int> token_to_id(std::string_view token) const;
  std::optional<std::string_view> id_to_token(int id) const;
  bool is_special(int id) const;  // left out by decode

  // Tokens with a role, by the name transformers gives it: "eos_token", "pad_token", ...
  std::optional<int> role_id(const std::string& role) const;
  void set_role(const std::string& role, std::string token);
  const std::map<std::string, std::string>& roles() const;

  // What stands around every text from now on, in place of what the file says: tokens it has.
  void surround(const std::vector<std::string>& before, const std::vector<std::string>& after);

  // The most tokens its model takes, where the directory says so ("model_max_length").
  std::optional<int64_t> max_length() const;
  void set_max_length(int64_t tokens);

  const std::string& spm() const;  // bytes of the SentencePiece .model it was made from, if any
  // A .model becomes the tokenizer.json nearest to it. It is one for the same ids, but PyPI
  // tokenizers finds its control pieces in the text and treats the text between them one by one.
  std::string to_json() const;
  // tokenizer.json, tokenizer_config.json, and tokenizer.model where it was made from one.
  void save(const std::string& directory) const;

 private:
  friend class StreamDecoder;
  class Workers;
  Encoding encoded(std::span<const std::string_view> texts, EncodeOptions options,
                   bool ids_only) const;
  // Without what the post-processor does.
  void bare_pieces(std::string_view text, EncodeOptions options, size_t tokens,
                   const std::function<void(Encoding)>& take) const;

  std::unique_ptr<TokenizerParts> parts_;
  std::unique_ptr<Workers> workers_;
};

// What the tokenizer of a directory is read from: one file, or two that belong together; empty
// where there is none. The two sides of a translation have their own (pair_tokenizer.h).
std::vector<std::string> tokenizer_files(const std::string& directory);
// Every name that a tokenizer's files may have, those of two sides with them.
const std::vector<std::string>& tokenizer_file_names();

}  // namespace jogak
