// A text file as an array of token ids. Encoding happens once; the ids stay in a cache file that is
// mapped, so a large text needs little memory and a second run starts at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/file.h"
#include "data/batch.h"
#include "data/text_pieces.h"

namespace jogak {

inline constexpr char kDroppedTokens[] = "/dev/null";

struct TokenSource {
  std::string text = {};              // plain, .gz or .zst; looked for with find_data
  std::optional<TextFile> file = {};  // the same, where it is held already
  Encode encode = {};      // called piece by piece: it must put no special tokens around a text
  int64_t vocab_size = 0;  // ids are below it
  // Anything that changes when the tokenizer does: the content of its tokenizer.json.
  std::string tokenizer = {};
  // Made when missing; empty: ids are kept in memory; kDroppedTokens: they are counted and dropped,
  // and read as zeros.
  std::string cache_directory = {};
  // The part to take, in shares of the characters: [0, 0.9) and [0.9, 1) share nothing and leave
  // nothing out. Character number floor(share * characters) is the first of its part.
  double from = 0, to = 1;
};

class TokenFile {
 public:
  // Uses the cache when source file, part and tokenizer are those it was made from; else encodes,
  // with one reading of the text.
  explicit TokenFile(const TokenSource& source);

  // The two parts of a text, before and behind a share of it, with one reading for both.
  static std::pair<TokenFile, TokenFile> parts(const TokenSource& whole, double share);

  const std::string& name() const { return name_; }  // the text file, for messages
  int64_t count() const { return count_; }
  int64_t vocab_size() const { return vocab_size_; }
  bool from_cache() const { return from_cache_; }
  const std::string& cache_path() const { return file_.path(); }  // empty when in memory

  // Ids begin .. begin + out.size() - 1, each checked to be below vocab_size.
  void read(int64_t begin, std::span<int64_t> out) const;

 private:
  struct Unread {};
  TokenFile(const TokenSource& source, Unread);

  bool find_cache(const TokenSource& source);
  bool open_cache(const std::string& path, const std::string& expected_head,
                  const std::string& text_digest);
  // `encode` gives ids to a sink and returns how many they were.
  void fill(const TokenSource& source, const std::function<int64_t(const Sink&)>& encode);

  std::string name_;
  int64_t count_ = 0, vocab_size_ = 0;
  int width_ = 2;  // bytes of an id
  bool from_cache_ = false, dropped_ = false;
  MappedFile file_;
  std::string memory_;  // the same bytes when there is no cache
};

}  // namespace jogak
