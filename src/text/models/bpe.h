// Byte-pair encoding: a piece starts as single characters (or bytes) and neighbours are merged.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "text/models/merges.h"
#include "text/models/model.h"
#include "text/unicode/code_table.h"

namespace jogak::text {

struct BpeOptions {
  std::string unk_token{};     // empty: none, then unknown characters are left out
  bool fuse_unk = false;       // unknown characters in a row become one token
  bool ignore_merges = false;  // a piece that is a token as it stands is that token
  bool byte_fallback = false;  // unknown characters become <0x00> ... where those are tokens
  std::string prefix{};        // before every character of a piece but the first
  std::string suffix{};        // behind the last character of a piece
  bool bytes_only = false;     // pieces come as bytes, so places to cut text at are not needed
};

class Bpe : public Model {
 public:
  Bpe(Vocab vocab, MergeTable merges, BpeOptions options);

  std::unique_ptr<Worker> worker() const override;
  const Vocab& vocab() const override { return vocab_; }
  const MergeTable& merges() const { return merges_; }
  Json to_json() const override;

  // For pieces that are bytes each byte needs a token, unless there is an unknown token.
  void require_bytes(const std::string& file, size_t offset) const;

  static std::unique_ptr<Model> read(const ModelFile& file, bool byte_level);

 private:
  friend class BpeWorker;

  // The first and the last character of a piece may carry marks, so each has four ids.
  enum Place : unsigned { kInside = 0, kFirst = 1, kLast = 2 };
  int character_id(std::string_view character, unsigned place) const;
  int byte_id(uint8_t byte, unsigned place) const { return byte_ids_[place][byte]; }
  std::string marked(std::string_view character, unsigned place) const;
  void find_breaks();

  Vocab vocab_;
  MergeTable merges_;
  BpeOptions options_;
  bool marks_ = false;                               // there is a prefix or suffix
  int unk_ = -1;                                     // id of the unknown token, if it is there
  std::array<std::array<int, 256>, 4> byte_ids_{};   // of each byte's character; -1: none
  std::array<std::array<int, 128>, 4> ascii_ids_{};  // of each ASCII character; -1: none
  std::array<int, 256> fallback_ids_{};              // of <0x00> ...; -1: none
  CodeTable<int> single_;  // by character: 1 + its id, 0: none; without marks only

  // A piece may be cut before a character without changing any token where no merge joins what
  // ends in the one before it with what starts with it. SentencePiece's '▁' is such a character
  // behind nearly all others. By character: 0, or 1 + its place in joined_.
  CodeTable<uint8_t> break_;
  std::vector<std::vector<char32_t>> joined_;  // characters before it that merges join it with
  bool breaks_after_unknown_ = false;
};

// Two token names of one merge, and where they stand in the file: "byte 812" or "line 12".
struct MergeNames {
  std::string_view left, right;
  const char* unit;
  size_t at;
};

// Adds merges after checking that their parts and their join are tokens and that they are new.
// The join leaves out the prefix of the right part. Memory is slow and each merge asks for several
// far places, so merges are added in batches whose places are fetched together; names must stay
// where they are until finish().
class MergeReader {
 public:
  MergeReader(const Vocab& vocab, std::string file, std::string_view prefix = {})
      : vocab_(vocab), file_(std::move(file)), prefix_(prefix) {}
  void reserve(size_t merges) { table_.reserve(merges); }
  void add(const MergeNames& names);
  MergeTable finish();

 private:
  void flush();
  int require_token(std::string_view token, const MergeNames& names) const;
  int result_of(const MergeNames& names, int likely) const;

  const Vocab& vocab_;
  std::string file_;
  std::string_view prefix_;
  MergeTable table_;
  std::vector<MergeNames> batch_;
  int next_ = 0;  // the token that the next merge makes, if ids follow merges
};

// The two parts of "left right" in names.left, or an error.
MergeNames split_merge(const MergeNames& line, const std::string& file);

}  // namespace jogak::text
