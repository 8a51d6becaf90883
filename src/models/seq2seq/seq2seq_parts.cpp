#include "models/seq2seq/seq2seq_parts.h"

#include "nn/laying_out.h"

namespace jogak {

SharedTables shared_tables(Params p, const Shape& shape, Init init, bool tied) {
  const Params encoder = p / "encoder" / "embed_tokens", decoder = p / "decoder" / "embed_tokens";
  const Params head = p / "lm_head";
  // A file may have the table under another of its names alone.
  Params own = p / "shared";
  if (!p.fresh() && !own.in_file("weight"))
    for (const Params& other : {encoder, decoder})
      if (other.in_file("weight")) {
        own = other;
        break;
      }
  const Tensor shared = own.table("weight", shape, init);
  const auto side = [&](const Params& at, bool same) {
    return !same || at.differs_in_file("weight", shared) ? at.table("weight", shape, init) : shared;
  };
  return {side(encoder, true), side(decoder, true), scoring(side(head, tied))};
}

int64_t read_token(const Fields& f, const char* key, int64_t otherwise, int64_t vocab) {
  if (!f.has(key) && otherwise >= vocab) f.wrong(f.json(), key, "a token's id");
  return f.integer_or(key, otherwise, {0, vocab - 1});
}

int64_t read_end(const Fields& f, int64_t otherwise, int64_t vocab) {
  constexpr const char* kKey = "eos_token_id";
  if (!f.has(kKey) || !f.at(kKey).is_array()) return read_token(f, kKey, otherwise, vocab);
  const Json& list = f.at(kKey);
  const bool some = !list.items().empty() && list.items()[0].is_integer();
  const int64_t id = some ? list.items()[0].integer() : -1;
  if (id < 0 || id >= vocab) f.wrong(list, kKey, text_of("an id from 0 to ", vocab - 1));
  return id;
}

}  // namespace jogak
