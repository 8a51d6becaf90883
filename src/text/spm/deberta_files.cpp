#include "text/spm/deberta_files.h"

#include <utility>

#include "base/file.h"
#include "text/spm/file.h"
#include "text/spm/tokenizer.h"
#include "text/tokenizer_parts.h"

namespace jogak::text {

Tokenizer load_deberta(const std::string& directory) {
  const std::string path = join_path(directory, kDebertaModel),
                    file = join_path(directory, "tokenizer_config.json");
  const Json json = file_exists(file) ? read_json_file(file) : Json::object();
  const Fields config(json, file);
  for (const char* key : {"do_lower_case", "split_by_punct"})
    if (config.flag_or(key, false)) config.wrong(config.at(key), key, "false");
  std::string bytes = read_file(path);
  const SpmFile spm = read_spm(bytes, path);
  TokenizerParts parts = spm_parts(spm);
  const Vocab& vocab = parts.model->vocab();
  const auto add = [&](const char* role, const char* token) {
    const int known = vocab.find(token);
    const int id = known >= 0 ? known : static_cast<int>(spm.pieces.size());  // the mask's
    ensure<FormatError>(known >= 0 || std::string(role) == "mask_token", path,
                        ": byte 0: found no piece ", token, ", which DeBERTa's texts need");
    parts.added.add({.id = id, .content = token, .special = true}, vocab, path);
    parts.roles[role] = token;
    return SpecialToken{id, token};
  };
  add("unk_token", "[UNK]"), add("pad_token", "[PAD]"), add("mask_token", "[MASK]");
  const SpecialToken cls = add("cls_token", "[CLS]"), sep = add("sep_token", "[SEP]");
  parts.post_processor = make_bert_template(cls, sep);
  parts.spm = std::move(bytes);
  return Tokenizer(std::move(parts));
}

}  // namespace jogak::text
