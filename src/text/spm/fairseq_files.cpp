#include "text/spm/fairseq_files.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "base/file.h"
#include "text/reading.h"
#include "text/spm/fairseq_languages.h"
#include "text/spm/file.h"
#include "text/spm/marian_files.h"
#include "text/spm/marian_model.h"
#include "text/spm/tokenizer.h"
#include "text/tokenizer_parts.h"

namespace jogak::text {
namespace {

std::string without_fast(std::string name) {
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  return name;
}

std::string languages_of(const std::string& name) {
  if (name == "NllbTokenizer") return kNllb200;
  if (name == "MBartTokenizer") return kMbart25;
  return name == "MBart50Tokenizer" ? std::string(kMbart25) + " " + kMbart50 : "";
}

// fairseq's first four in place of the .model's <unk>, <s>, </s>.
void renumber(SpmFile& spm, const std::string& path) {
  const bool known = spm.pieces.size() > 3 && spm.pieces[0].kind == SpmKind::unknown &&
                     spm.pieces[1].text == "<s>" && spm.pieces[2].text == "</s>";
  ensure<FormatError>(known, path, ": byte 0: the first pieces are not <unk>, <s> and </s>");
  const std::vector<SpmPiece> first = {{"<s>", 0, SpmKind::control},
                                       {"<pad>", 0, SpmKind::control},
                                       {"</s>", 0, SpmKind::control},
                                       {"<unk>", 0, SpmKind::unknown}};
  spm.pieces.erase(spm.pieces.begin(), spm.pieces.begin() + 3);
  for (const SpmPiece& piece : spm.pieces)
    for (const SpmPiece& own : first)
      ensure<FormatError>(piece.text != own.text, path, ": byte 0: found the piece ",
                          shown(piece.text), " twice");
  spm.pieces.insert(spm.pieces.begin(), first.begin(), first.end());
}

// What stands behind the pieces, and what has a role.
std::vector<AddedToken> special_tokens(const std::string& name, const Json& config,
                                       const std::string& file, int next) {
  std::vector<AddedToken> out = MarianTokens::read(config, file).added;
  const auto listed = [&](const std::string& token) {
    return std::any_of(out.begin(), out.end(),
                       [&](const AddedToken& t) { return t.content == token; });
  };
  for (const AddedToken& token : out) next = std::max(next, token.id + 1);
  int first = 0;
  for (const char* token : {"<s>", "<pad>", "</s>", "<unk>"}) {
    if (!listed(token)) out.push_back({.id = first, .content = token, .special = true});
    ++first;
  }
  std::istringstream codes(languages_of(name));
  for (std::string code; codes >> code;)
    if (!listed(code)) out.push_back({.id = next++, .content = code, .special = true});
  if (!listed("<mask>"))
    out.push_back({.id = next, .content = "<mask>", .lstrip = true, .special = true});
  return out;
}

}  // namespace

bool is_fairseq(const std::string& tokenizer_class) {
  const std::string name = without_fast(tokenizer_class);
  return name == "XLMRobertaTokenizer" || !languages_of(name).empty();
}

Tokenizer load_fairseq(const std::string& directory, const std::string& tokenizer_class) {
  const std::string path = join_path(directory, kFairseqModel),
                    file = join_path(directory, "tokenizer_config.json"),
                    name = without_fast(tokenizer_class);
  const Json config = file_exists(file) ? read_json_file(file) : Json::object();
  SpmFile spm = read_spm(read_file(path), path);
  renumber(spm, path);
  TokenizerParts parts = spm_parts(spm);
  const Vocab& vocab = parts.model->vocab();
  const int64_t highest = vocab.size() + Vocab::kMaxGap;
  std::vector<std::string> special;
  for (const AddedToken& token : special_tokens(name, config, file, vocab.size())) {
    ensure<FormatError>(token.id < highest, file, ": added token ", shown(token.content),
                        " has the id ", token.id, ", wanted less than ", highest);
    parts.added.add(token, vocab, file);
    special.push_back(token.content);
  }
  parts.decoder = make_marian_decoder(spm, std::move(special));  // without spaces around the text
  parts.roles = {{"bos_token", "<s>"},    {"eos_token", "</s>"}, {"unk_token", "<unk>"},
                 {"pad_token", "<pad>"},  {"cls_token", "<s>"},  {"sep_token", "</s>"},
                 {"mask_token", "<mask>"}};
  const Json around = Json::object({{"type", "RobertaProcessing"},
                                    {"sep", Json::array({"</s>", 2})},
                                    {"cls", Json::array({"<s>", 0})},
                                    {"trim_offsets", true},
                                    {"add_prefix_space", true}});
  parts.post_processor = PostProcessor::read(around, path);
  return Tokenizer(std::move(parts));
}

}  // namespace jogak::text
