#include "text/gpt2_files.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/utf8.h"
#include "text/clip_files.h"
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

Tokenizer Tokenizer::load_gpt2(const std::string& vocab_path, const std::string& merges_path) {
  constexpr std::string_view kEnd = "<|endoftext|>";
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
  text::MergeTable merges = text::read_merges(merges_file.text(), vocab, merges_path);
  auto model = std::make_unique<text::Bpe>(std::move(vocab), std::move(merges),
                                           text::BpeOptions{.bytes_only = true});
  model->require_bytes(vocab_path, 0);
  TokenizerParts parts;
  const int end_id = model->vocab().find(kEnd);
  if (end_id >= 0) {
    parts.added.add({.id = end_id, .content = std::string(kEnd), .special = true}, model->vocab(),
                    vocab_path);
    for (const char* role : {"bos_token", "eos_token", "unk_token"}) parts.roles[role] = kEnd;
  }
  parts.model = std::move(model);
  parts.pre_tokenizer = text::make_byte_level({.add_prefix_space = false});
  parts.decoder = text::make_byte_level_decoder();
  return Tokenizer(std::move(parts));
}

}  // namespace jogak
