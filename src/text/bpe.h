// Byte-pair encoding: a piece starts as single characters (or bytes) and neighbours are merged.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "text/merges.h"
#include "text/model.h"

namespace jogak::text {

struct BpeOptions {
  std::string unk_token;       // empty: none
  bool fuse_unk = false;       // unknown characters in a row become one token
  bool ignore_merges = false;  // a piece that is a token as it stands is that token
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

  static std::unique_ptr<Model> read(const Fields& fields, bool byte_level);

 private:
  friend class BpeWorker;
  int character_id(std::string_view character) const;

  Vocab vocab_;
  MergeTable merges_;
  BpeOptions options_;
  int unk_ = -1;                      // id of the unknown token when it is in the vocabulary
  std::array<int, 256> byte_ids_{};   // of each byte's byte-level character; -1: none
  std::array<int, 128> ascii_ids_{};  // of each ASCII character; -1: none
};

// Two token names of one merge, and where they stand in the file: "byte 812" or "line 12".
struct MergeNames {
  std::string_view left, right;
  const char* unit;
  size_t at;
};

// Adds a merge after checking that its parts and their join are tokens and that it is new.
void add_merge(MergeTable& table, const Vocab& vocab, const MergeNames& names,
               const std::string& file);

// The two parts of "left right" in names.left, or an error.
MergeNames split_merge(const MergeNames& line, const std::string& file);

}  // namespace jogak::text
