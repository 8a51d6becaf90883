#include "text/gpt2_files.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/utf8.h"
#include "text/clip_files.h"
#include "text/languages.h"
#include "text/listed_tokens.h"
#include "text/reading.h"
#include "text/stages/byte_level.h"
#include "text/tokenizer.h"
#include "text/tokenizer_parts.h"

namespace jogak {

namespace text {

MergeTable read_merges(std::string_view text, const Vocab& vocab, const std::string& file) {
  const size_t bad = utf8::first_invalid(text);
  ensure<FormatError>(bad == std::string_view::npos, file, ": byte ", bad,
                      ": found a byte that is not UTF-8, wanted UTF-8 text");
  MergeReader reader(vocab, file);
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    ++number;
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("#version") || (line.empty() && at >= text.size())) continue;
    reader.add(split_merge({line, {}, "line", number}, file));
  }
  return reader.finish();
}

}  // namespace text

namespace {

// Those that read these files and put tokens around a text.
constexpr const char* kFraming[] = {"RobertaTokenizer", "BartTokenizer", "LongformerTokenizer",
                                    "LEDTokenizer", "MvpTokenizer"};
constexpr const char* kPlain[] = {"", "GPT2Tokenizer", "CodeGenTokenizer", "GPTNeoXTokenizer"};

bool is_framing(const std::string& folder, const Fields& config) {
  std::string name = tokenizer_class_of(folder.empty() ? "." : folder);
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  const auto among = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  if (among(kFraming)) return true;
  if (config.has("tokenizer_class") && !among(kPlain))
    config.wrong(config.at("tokenizer_class"), "tokenizer_class",
                 "GPT2Tokenizer, RobertaTokenizer or one that works like them: vocab.json and "
                 "merges.txt are read as theirs");
  return false;
}

std::map<std::string, std::string> usual_roles(bool framed, const text::Vocab& vocab) {
  if (framed)
    return {{"bos_token", "<s>"},    {"eos_token", "</s>"},  {"unk_token", "<unk>"},
            {"sep_token", "</s>"},   {"pad_token", "<pad>"}, {"cls_token", "<s>"},
            {"mask_token", "<mask>"}};
  constexpr const char* kEnd = "<|endoftext|>";
  if (vocab.find(kEnd) < 0) return {};
  return {{"bos_token", kEnd}, {"eos_token", kEnd}, {"unk_token", kEnd}};
}

std::unique_ptr<text::PostProcessor> framed_by(const text::ListedTokens& tokens, bool prefix_space,
                                               const std::string& file) {
  Json out = Json::object({{"type", "RobertaProcessing"}});
  for (const auto& [key, role] : {std::pair("sep", "sep_token"), std::pair("cls", "cls_token")}) {
    const SpecialToken token = tokens.special(role);
    out.set(key, Json::array({token.token, token.id}));
  }
  out.set("trim_offsets", true).set("add_prefix_space", prefix_space);
  return text::PostProcessor::read(out, file);
}

}  // namespace

// With the tokenizer_config.json beside them, and the older files that go with that.
Tokenizer Tokenizer::load_gpt2(const std::string& vocab_path, const std::string& merges_path) {
  const MappedFile vocab_file(vocab_path);
  text::Vocab vocab = text::Vocab::read(JsonDocument(vocab_file.text(), vocab_path).root());
  const MappedFile merges_file(merges_path);
  if (vocab.find(text::kClipStart) >= 0) {
    Tokenizer out =
        from_json(text::clip_tokenizer_json(vocab, merges_file.text(), vocab_path), vocab_path);
    out.set_role("bos_token", std::string(text::kClipStart));
    for (const char* role : {"eos_token", "unk_token", "pad_token"})
      out.set_role(role, std::string(text::kClipEnd));
    return out;
  }
  const std::string folder = vocab_path.substr(0, vocab_path.size() - file_name(vocab_path).size());
  const std::string config_path = folder + "tokenizer_config.json";
  const Json config_json = text::read_if_there(config_path);
  const Fields config(config_json, config_path);
  const bool framed = is_framing(folder, config);
  const bool prefix_space = config.flag_or("add_prefix_space", false);
  text::MergeTable merges = text::read_merges(merges_file.text(), vocab, merges_path);
  auto model = std::make_unique<text::Bpe>(std::move(vocab), std::move(merges),
                                           text::BpeOptions{.bytes_only = true});
  model->require_bytes(vocab_path, 0);
  TokenizerParts parts;
  text::ListedTokens tokens(model->vocab(), parts, vocab_path, usual_roles(framed, model->vocab()));
  tokens.read_folder(folder, config);
  if (framed) tokens.strip_left("mask_token");
  tokens.add_all();
  if (framed) parts.post_processor = framed_by(tokens, prefix_space, vocab_path);
  parts.model = std::move(model);
  parts.pre_tokenizer = text::make_byte_level({.add_prefix_space = prefix_space});
  parts.decoder = text::make_byte_level_decoder();
  return Tokenizer(std::move(parts));
}

}  // namespace jogak
