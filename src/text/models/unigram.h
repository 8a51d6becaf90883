// A unigram model: every piece has a score, and a text is cut so that the sum is highest.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/models/model.h"
#include "text/models/piece_trie.h"

namespace jogak::text {

inline constexpr size_t kLongestPiece = size_t{64} << 10;  // cutting looks this far ahead

struct UnigramPiece {
  std::string_view text;
  double score = 0;           // as it is summed
  bool findable = true;       // else it has an id, but no text is ever cut into it
  bool user_defined = false;  // .model files: beats every other way to cut, whatever its score
  std::optional<double>
      written{};  // the score that the file says, where the reference reads another
};

// The two libraries differ where sums round and where unknown text becomes bytes.
enum class UnigramStyle {
  tokenizers,    // a tokenizer.json: sums are doubles, a run of unknown text is one token
  sentencepiece  // a .model: sums are floats, unknown text becomes bytes character by character
};

struct UnigramOptions {
  int unk_id = -1;             // -1: none, then unknown text is an error
  bool byte_fallback = false;  // unknown text becomes <0x00> ... <0xFF>, where those are pieces
  UnigramStyle style = UnigramStyle::tokenizers;
};

class Unigram : public Model {
 public:
  // Pieces by id: not empty, valid UTF-8, all different, scores finite; the readers check that.
  Unigram(std::span<const UnigramPiece> pieces, UnigramOptions options);

  std::unique_ptr<Worker> worker() const override;
  const Vocab& vocab() const override { return vocab_; }
  bool shown_as_text(int id) const override { return id == options_.unk_id; }
  Json to_json() const override;

  static std::unique_ptr<Model> read(const ModelFile& file);

 private:
  template <class Score>
  friend class UnigramWorker;

  Vocab vocab_;
  std::vector<double> scores_;     // by id, as they stand in the file
  std::vector<double> effective_;  // by id, as they are summed
  double unk_score_ = 0;
  UnigramOptions options_;
  PieceTrie trie_;
  std::array<int, 256> byte_ids_{};  // of <0x00> ...; -1: none
  bool has_bytes_ = false;           // all of them
};

// A JSON number as the reference reads it: the digits as one integer, rounded, and then divided by
// a power of ten, rounded again. One in seven scores comes out one place off in the last bit, and
// that decides between ways to cut whose sums are the same.
double number_of_reference(std::string_view written);

// "<0x0A>" for 10, and back: -1 for what is not spelled exactly like that.
std::string byte_piece(unsigned char byte);
int byte_of_piece(std::string_view piece);

}  // namespace jogak::text
