#include <algorithm>
#include <utility>

#include "text/bpe.h"
#include "text/byte_level.h"
#include "text/reading.h"

namespace jogak::text {
namespace {

MergeNames names_of(const JsonView& merge) {
  const size_t at = merge.offset();
  const std::string& file = merge.file();
  if (merge.is(Json::Kind::string)) return split_merge({merge.text(), {}, "byte", at}, file);
  ensure<FormatError>(merge.is(Json::Kind::array), file, ": byte ", at, ": a merge: found ",
                      merge.kind_name(), ", wanted \"left right\" or [\"left\", \"right\"]");
  ensure<FormatError>(merge.size() == 2, file, ": byte ", at, ": a merge has ", merge.size(),
                      merge.size() == 1 ? " part" : " parts", ", wanted 2");
  for (const JsonView part : merge)
    ensure<FormatError>(part.is(Json::Kind::string), file, ": byte ", part.offset(),
                        ": part of a merge: found ", part.kind_name(), ", wanted a string");
  auto part = merge.begin();
  const std::string_view left = (*part).text(), right = (*++part).text();
  return {left, right, "byte", at};
}

int require_token(const Vocab& vocab, std::string_view token, const MergeNames& names,
                  const std::string& file) {
  const int id = vocab.find(token);
  if (id < 0)
    fail<FormatError>(file, ": ", names.unit, " ", names.at, ": the merge of ", shown(names.left),
                      " and ", shown(names.right), " needs the token ", shown(token),
                      ", which is not in the vocabulary");
  return id;
}

}  // namespace

MergeNames split_merge(const MergeNames& line, const std::string& file) {
  const std::string_view text = line.left;
  const size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) {
    const auto parts = 1 + std::count(text.begin(), text.end(), ' ');
    fail<FormatError>(file, ": ", line.unit, " ", line.at, ": the merge ", shown(text), " has ",
                      parts, parts == 1 ? " part" : " parts", ", wanted 2");
  }
  return {text.substr(0, space), text.substr(space + 1), line.unit, line.at};
}

void add_merge(MergeTable& table, const Vocab& vocab, const MergeNames& names,
               const std::string& file, std::string_view prefix) {
  ensure<FormatError>(!names.left.empty() && !names.right.empty(), file, ": ", names.unit, " ",
                      names.at, ": a merge has an empty part");
  const int left = require_token(vocab, names.left, names, file);
  const int right = require_token(vocab, names.right, names, file);
  ensure<FormatError>(names.right.size() >= prefix.size(), file, ": ", names.unit, " ", names.at,
                      ": the right part of a merge is shorter than the prefix");
  const std::string joined =
      std::string(names.left) + std::string(names.right.substr(prefix.size()));
  const int result = require_token(vocab, joined, names, file);
  if (!table.add({left, right, result}))
    fail<FormatError>(file, ": ", names.unit, " ", names.at, ": the merge of ", shown(names.left),
                      " and ", shown(names.right), " is there a second time");
}

std::unique_ptr<Model> Bpe::read(const ModelFile& file, bool byte_level) {
  const Fields& fields = file.fields();
  only_keys(fields,
            {"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
             "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges"});
  must_be_off(fields, "dropout");
  BpeOptions options;
  options.unk_token = fields.text_or("unk_token", "");
  options.fuse_unk = fields.flag_or("fuse_unk", false);
  options.ignore_merges = fields.flag_or("ignore_merges", false);
  options.byte_fallback = fields.flag_or("byte_fallback", false);
  options.prefix = fields.text_or("continuing_subword_prefix", "");
  options.suffix = fields.text_or("end_of_word_suffix", "");
  const JsonView list = file.merges();
  ensure<FormatError>(list.is(Json::Kind::array), list.file(), ": byte ", list.offset(),
                      ": \"merges\": found ", list.kind_name(), ", wanted an array");
  Vocab vocab = Vocab::read(file.vocab());
  MergeTable merges;
  merges.reserve(list.size());
  for (const JsonView merge : list)
    add_merge(merges, vocab, names_of(merge), list.file(), options.prefix);
  auto model = std::make_unique<Bpe>(std::move(vocab), std::move(merges), std::move(options));
  if (byte_level) model->require_bytes(fields.file(), file.vocab().offset());
  return model;
}

void Bpe::require_bytes(const std::string& file, size_t offset) const {
  if (unk_ >= 0 || options_.byte_fallback || marks_) return;
  for (int i = 0; i < 256; ++i) {
    const auto byte = static_cast<char>(i);
    if (byte_ids_[0][i] < 0)
      fail<FormatError>(file, ": byte ", offset, ": the vocabulary has no token ",
                        shown(byte_level::to_characters({&byte, 1})), " for the byte value ", i);
  }
}

Json Bpe::to_json() const {
  // "left right" cannot be read back when a token has a space; the list must be of one form.
  bool spaced = false;
  for (uint32_t rank = 0; rank < merges_.size() && !spaced; ++rank)
    spaced = vocab_.token(merges_[rank].result).find(' ') != std::string_view::npos;
  std::vector<Json> list;
  list.reserve(merges_.size());
  for (uint32_t rank = 0; rank < merges_.size(); ++rank) {
    const std::string left(vocab_.token(merges_[rank].left));
    const std::string right(vocab_.token(merges_[rank].right));
    list.push_back(spaced ? Json::array({left, right}) : Json(left + " " + right));
  }
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return Json::object({{"type", "BPE"},
                       {"dropout", Json()},
                       {"unk_token", or_null(options_.unk_token)},
                       {"continuing_subword_prefix", or_null(options_.prefix)},
                       {"end_of_word_suffix", or_null(options_.suffix)},
                       {"fuse_unk", options_.fuse_unk},
                       {"byte_fallback", options_.byte_fallback},
                       {"ignore_merges", options_.ignore_merges},
                       {"vocab", vocab_.to_json()},
                       {"merges", Json::array(std::move(list))}});
}

}  // namespace jogak::text
