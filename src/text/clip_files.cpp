#include "text/clip_files.h"

#include <algorithm>
#include <utility>

#include "base/json.h"

namespace jogak::text {
namespace {

constexpr const char* kPipeline = R"({
  "version": "1.0",
  "normalizer": {"type": "Sequence", "normalizers": [
    {"type": "NFC"},
    {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "},
    {"type": "Lowercase"}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "behavior": "Removed", "invert": true, "pattern": {"Regex":
     "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"}},
    {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}]},
  "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true,
              "use_regex": true}
})";

Json merge_lines(std::string_view text) {
  std::vector<Json> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with("#version") && !line.empty()) out.emplace_back(std::string(line));
  }
  return Json::array(std::move(out));
}

}  // namespace

std::string clip_tokenizer_json(const Vocab& vocab, std::string_view merges,
                                const std::string& file) {
  Json out = parse_json(kPipeline, file);
  std::vector<Json> added;
  const auto pair = [&](std::string_view token) {
    const int id = vocab.find(token);
    ensure<FormatError>(id >= 0, file, ": found no token ", token, ", which CLIP's texts need");
    added.push_back(Json::object({{"id", id},
                                  {"content", std::string(token)},
                                  {"single_word", false},
                                  {"lstrip", false},
                                  {"rstrip", false},
                                  {"normalized", false},
                                  {"special", true}}));
    return Json::array({std::string(token), id});
  };
  Json frame = Json::object({{"type", "RobertaProcessing"}});
  frame.set("sep", pair(kClipEnd)).set("cls", pair(kClipStart));
  frame.set("trim_offsets", false).set("add_prefix_space", false);
  Json model = Json::object({{"type", "BPE"}});
  model.set("unk_token", std::string(kClipEnd)).set("continuing_subword_prefix", "");
  model.set("end_of_word_suffix", "</w>").set("fuse_unk", false);
  model.set("vocab", vocab.to_json()).set("merges", merge_lines(merges));
  out.set("added_tokens", Json::array(std::move(added))).set("post_processor", std::move(frame));
  return out.set("model", std::move(model)).dump();
}

}  // namespace jogak::text
