// A SentencePiece .model file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/stages/charsmap.h"

namespace jogak::text {

enum class SpmType { unigram = 1, bpe = 2, word = 3, character = 4 };

enum class SpmKind { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

struct SpmPiece {
  std::string text{};
  float score = 0;
  SpmKind kind = SpmKind::normal;
};

struct SpmNormalizing {
  std::optional<Charsmap> charsmap{};
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;           // a space is written U+2581
  bool treat_whitespace_as_suffix = false;  // the dummy goes behind the text
};

struct SpmFile {
  std::vector<SpmPiece> pieces{};  // by id
  SpmType type = SpmType::unigram;
  bool byte_fallback = false;
  std::string unk_surface = " \u2047 ";
  std::string unk_piece = "<unk>", bos_piece = "<s>", eos_piece = "</s>", pad_piece = "<pad>";
  SpmNormalizing normalizing{};
  std::optional<SpmNormalizing> denormalizing{};

  int unk_id() const;  // there is always one
};

inline constexpr std::string_view kSpmSpace = "\u2581";

// Checked so that it can be used as it is: pieces are UTF-8, not empty and all different, scores
// are finite, there is one unknown piece, and with byte fallback all 256 bytes. `name` is the file.
SpmFile read_spm(std::string_view bytes, const std::string& name);

// Whether bytes that carry no telling name are a .model rather than JSON.
bool looks_like_spm(std::string_view bytes);

}  // namespace jogak::text
