#include "text/spm/marian_files.h"

#include <charconv>
#include <utility>

#include "text/reading.h"
#include "text/spm/file.h"
#include "text/spm/marian_model.h"
#include "text/tokenizer_parts.h"

namespace jogak::text {
namespace {

// {"58100": {"content": "<pad>", "special": true, ...}, ...}
std::vector<AddedToken> read_added(const Fields& config) {
  std::vector<AddedToken> out;
  if (!config.has("added_tokens_decoder")) return out;
  for (const auto& [key, value] : config.object("added_tokens_decoder").json().members()) {
    const Fields fields(value, config.file());
    AddedToken token{.content = fields.text("content"),
                     .single_word = fields.flag_or("single_word", false),
                     .lstrip = fields.flag_or("lstrip", false),
                     .rstrip = fields.flag_or("rstrip", false),
                     .special = fields.flag_or("special", false)};
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), token.id);
    if (error != std::errc() || end != key.data() + key.size() || token.id < 0)
      config.wrong(value, "added_tokens_decoder", "an id for its key instead of " + shown(key));
    out.push_back(std::move(token));
  }
  return out;
}

}  // namespace

MarianTokens MarianTokens::read(const Json& config, const std::string& file) {
  MarianTokens out;
  const auto roles = read_roles(config, file);
  const auto take = [&](const char* role, std::string& token) {
    if (const auto found = roles.find(role); found != roles.end()) token = found->second;
  };
  take("eos_token", out.eos);
  take("unk_token", out.unk);
  take("pad_token", out.pad);
  out.added = read_added(Fields(config, file));
  return out;
}

Tokenizer make_marian_side(MarianSide side, const std::string& spm_name,
                           const std::string& vocab_name) {
  const SpmFile spm = read_spm(side.spm, spm_name);
  const MarianTokens& tokens = side.tokens;
  ensure<FormatError>(side.vocab.find(tokens.unk) >= 0, vocab_name, ": byte 0: found no token ",
                      shown(tokens.unk), ", wanted it for unknown text");
  TokenizerParts parts;
  const int64_t highest = side.vocab.size() + Vocab::kMaxGap;
  for (const AddedToken& token : tokens.added) {
    ensure<FormatError>(token.id < highest, vocab_name, ": added token ", shown(token.content),
                        " has the id ", token.id, ", wanted less than ", highest);
    parts.added.add(token, side.vocab, vocab_name);
  }
  int next = side.vocab.size();
  for (const std::string* name : {&tokens.eos, &tokens.unk, &tokens.pad}) {
    if (parts.added.find(*name)) continue;
    int id = side.vocab.find(*name);
    while (id < 0 && parts.added.find(next)) ++next;
    if (id < 0) id = next++;
    parts.added.add({.id = id, .content = *name, .special = true}, side.vocab, vocab_name);
  }
  const int eos = parts.added.find(tokens.eos)->id;
  parts.roles = {{"eos_token", tokens.eos}, {"unk_token", tokens.unk}, {"pad_token", tokens.pad}};
  parts.decoder =
      make_marian_decoder(side.decode_spm == side.spm ? spm : read_spm(side.decode_spm, spm_name),
                          {tokens.eos, tokens.unk, tokens.pad});
  parts.post_processor = make_marian_end(eos, tokens.eos);
  parts.model = make_marian_model(spm, std::move(side.vocab), tokens.unk);
  parts.spm = std::move(side.spm);
  return Tokenizer(std::move(parts));
}

}  // namespace jogak::text
