#include "app/models/vocabulary.h"

#include "base/json.h"

namespace jogak {

void check_rows(const Tokenizer& tokenizer, int64_t rows, const std::string& directory,
                const char* which) {
  const int count = tokenizer.vocab_size();
  if (count <= rows) return;
  fail<FormatError>(directory, directory.empty() ? "" : ": ", "the ", which, "tokenizer has ",
                    count, " tokens, but the model knows ", rows, ": token ",
                    json_quote(tokenizer.id_to_token(count - 1).value_or("")), " has the id ",
                    count - 1);
}

}  // namespace jogak
