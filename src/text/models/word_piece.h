// WordPiece: a word is cut into the longest pieces there are, from left to right; pieces inside a
// word carry a prefix.
#pragma once

#include <memory>
#include <string>

#include "text/matcher.h"
#include "text/models/model.h"
#include "text/models/piece_trie.h"

namespace jogak::text {

struct WordPieceOptions {
  std::string unk_token = "[UNK]";
  std::string prefix = "##";
  size_t max_characters = 100;  // a longer word is unknown
};

class WordPiece : public Model {
 public:
  WordPiece(Vocab vocab, WordPieceOptions options);

  std::unique_ptr<Worker> worker() const override;
  const Vocab& vocab() const override { return vocab_; }
  Json to_json() const override;

  static std::unique_ptr<Model> read(const ModelFile& file);

 private:
  friend class WordPieceWorker;

  Vocab vocab_;
  WordPieceOptions options_;
  int unk_;                   // -1 when the unknown token is not in the vocabulary
  PieceTrie first_, inside_;  // pieces that may open a word; those that follow, without prefix

  // The pieces inside a word again, for files that allow very long words: finds all of a word's
  // in one go, where looking for each alone could read the rest of the word each time.
  Matcher inside_long_;
  std::vector<int> inside_ids_;
};

}  // namespace jogak::text
