#include "app/data/bert_text.h"

#include "base/file.h"
#include "text/train/bpe.h"
#include "text/train/char.h"
#include "text/train/word_piece.h"

namespace jogak {
namespace {

constexpr struct {
  const char* role;
  const char* token;
} kSpecialTokens[] = {{"pad_token", "[PAD]"},
                      {"unk_token", "[UNK]"},
                      {"cls_token", "[CLS]"},
                      {"sep_token", "[SEP]"},
                      {"mask_token", "[MASK]"}};

// The same tokenizer with [CLS] and [SEP] around every text.
Tokenizer with_frame(const Tokenizer& plain) {
  Json json = parse_json(plain.to_json(), "tokenizer");
  const auto token = [&](const char* name) {
    return Json::array({Json(name), Json(*plain.token_to_id(name))});
  };
  Json frame = Json::object();
  frame.set("type", "BertProcessing").set("sep", token("[SEP]")).set("cls", token("[CLS]"));
  json.set("post_processor", std::move(frame));
  Tokenizer out = Tokenizer::from_json(json.dump(), "tokenizer");
  for (const auto& one : kSpecialTokens) out.set_role(one.role, one.token);
  return out;
}

Tokenizer trained(const TokenizerRecipe& r, const std::vector<std::string>& texts) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  std::vector<std::string> special;
  for (const auto& one : kSpecialTokens) special.emplace_back(one.token);
  const auto size = static_cast<int>(r.vocab_size);
  if (r.type == "char")
    return with_frame(train_char(views, {.special_tokens = special, .unk_token = "[UNK]"}));
  if (r.type == "bpe")
    return with_frame(train_bpe(views, {.vocab_size = size, .special_tokens = special}));
  ensure<UsageError>(r.type == "wordpiece", "tokenizer.type is \"", r.type,
                     "\", wanted char, bpe or wordpiece for this data, or tokenizer.from");
  return with_frame(train_word_piece(
      views,
      {.vocab_size = size, .special_tokens = special, .normal_form = text::NormalForm::nfc}));
}

}  // namespace

Tokenizer bert_tokenizer(const Recipe& r, const std::string& resumed,
                         const std::vector<std::string>& texts) {
  if (!resumed.empty() && file_exists(join_path(resumed, "tokenizer.json")))
    return Tokenizer::load(resumed);
  if (!r.tokenizer.from.empty()) return Tokenizer::load(r.tokenizer.from);
  if (!r.model.from.empty()) return Tokenizer::load(r.model.from);
  return trained(r.tokenizer, texts);
}

int token_with_role(const Tokenizer& tokenizer, const std::string& role, const std::string& name) {
  if (const auto id = tokenizer.role_id(role)) return *id;
  const auto id = tokenizer.token_to_id(name);
  ensure<FormatError>(id.has_value(), "the tokenizer has no ", role, " and no token ", name,
                      ", which this data needs");
  return *id;
}

Masking masking_for(const Tokenizer& tokenizer, double share, uint64_t seed) {
  Masking out;
  out.mask_id = token_with_role(tokenizer, "mask_token", "[MASK]");
  out.pad_id = token_with_role(tokenizer, "pad_token", "[PAD]");
  const std::vector<int> around = tokenizer.encode_ids("");
  ensure<FormatError>(around.empty() || around.size() == 2, "the tokenizer puts ", around.size(),
                      " tokens around a text, wanted one before and one behind it, or none");
  if (!around.empty()) out.opening = {around[0]}, out.closing = {around[1]};
  out.vocab = tokenizer.vocab_size();
  out.special.resize(static_cast<size_t>(out.vocab));
  for (int id = 0; id < tokenizer.vocab_size(); ++id)
    out.special[static_cast<size_t>(id)] =
        tokenizer.is_special(id) || !tokenizer.id_to_token(id).has_value();
  out.share = share, out.seed = seed;
  return out;
}

std::vector<Json::Member> tokenizer_settings(const Tokenizer& tokenizer, const Recipe& recipe) {
  std::vector<Json::Member> out;
  if (!recipe.model.from.empty()) return out;  // a directory's vocabulary is what it is
  bool vocab = false;
  for (const auto& setting : recipe.model.settings) vocab |= setting.first == "vocab_size";
  if (!vocab) out.emplace_back("vocab_size", tokenizer.vocab_size());
  out.emplace_back("pad_token_id", token_with_role(tokenizer, "pad_token", "[PAD]"));
  return out;
}

}  // namespace jogak
