// Turns one piece of text into tokens: the "model" of a tokenizer.json.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json_document.h"
#include "text/aligned_text.h"
#include "text/models/vocab.h"

namespace jogak::text {

// A token covers the bytes of its piece from the end of the token before it up to `end`. With the
// same end as the token before it, it covers the same bytes: one character spelled in bytes.
struct Token {
  int id;
  uint32_t end;
};

// The "model" of a tokenizer.json: its small parts as fields, vocabulary and merges as they stand.
class ModelFile {
 public:
  explicit ModelFile(const JsonView& model);
  const Fields& fields() const { return fields_; }
  JsonView vocab() const { return large("vocab"); }    // an object; of Unigram an array
  JsonView merges() const { return large("merges"); }  // an array
  bool has(std::string_view key) const { return model_.find(key).has_value(); }

 private:
  JsonView large(std::string_view key) const;
  JsonView model_;
  Json json_;
  Fields fields_;
};

class Model {
 public:
  static constexpr size_t kMaxPiece = size_t{1} << 30;  // bytes; ends are 32 bits

  // What one thread needs while it encodes: caches and scratch space. The model stays constant.
  class Worker {
   public:
    virtual ~Worker() = default;
    virtual void tokenize(const Piece& piece, std::vector<Token>& out) = 0;  // appends
  };

  virtual ~Model() = default;
  virtual std::unique_ptr<Worker> worker() const = 0;  // must not outlive the model
  virtual const Vocab& vocab() const = 0;
  virtual bool shown_as_text(int) const { return false; }  // such a token is called what it covers
  virtual Json to_json() const = 0;

  // `byte_level`: the pieces come from a byte-level pre-tokenizer, so every byte needs a token.
  static std::unique_ptr<Model> read(const JsonView& json, bool byte_level);
};

// Thrown where the place of an error is not known, because the text does not track origins.
struct PlaceNotKnown {};

// Text that no token covers: names the character and where it stands in the original.
[[noreturn]] void fail_unknown(const Piece& piece, size_t from, size_t to,
                               const std::string& unk_token);

}  // namespace jogak::text
