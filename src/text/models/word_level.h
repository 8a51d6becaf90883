// A model that knows whole pieces only: each piece is one token or unknown.
#pragma once

#include <memory>
#include <string>

#include "text/models/model.h"

namespace jogak::text {

class WordLevel : public Model {
 public:
  WordLevel(Vocab vocab, std::string unk_token);

  std::unique_ptr<Worker> worker() const override;
  const Vocab& vocab() const override { return vocab_; }
  Json to_json() const override;

  static std::unique_ptr<Model> read(const ModelFile& file);

 private:
  int id_of(const Piece& piece) const;

  Vocab vocab_;
  std::string unk_token_;
  int unk_;  // -1 when the unknown token is not in the vocabulary
};

}  // namespace jogak::text
