#include <algorithm>
#include <utility>

#include "text/models/bpe.h"
#include "text/reading.h"
#include "text/stages/byte_level.h"

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

void MergeReader::add(const MergeNames& names) {
  batch_.push_back(names);
  if (2 * batch_.size() == Vocab::kBatch) flush();
}

MergeTable MergeReader::finish() {
  flush();
  return std::move(table_);
}

void MergeReader::flush() {
  std::vector<std::string_view> tokens;
  for (const MergeNames& names : batch_) tokens.insert(tokens.end(), {names.left, names.right});
  vocab_.expect(tokens);
  std::vector<MergeTable::Merge> merges;
  for (const MergeNames& names : batch_) {
    ensure<FormatError>(!names.left.empty() && !names.right.empty(), file_, ": ", names.unit, " ",
                        names.at, ": a merge has an empty part");
    const int left = require_token(names.left, names), right = require_token(names.right, names);
    ensure<FormatError>(names.right.size() >= prefix_.size(), file_, ": ", names.unit, " ",
                        names.at, ": the right part of a merge is shorter than the prefix");
    merges.push_back({left, right, result_of(names, next_)});
    next_ = merges.back().result + 1;
    table_.fetch(left, right);
  }
  for (size_t i = 0; i < merges.size(); ++i)
    if (!table_.add(merges[i]))
      fail<FormatError>(file_, ": ", batch_[i].unit, " ", batch_[i].at, ": the merge of ",
                        shown(batch_[i].left), " and ", shown(batch_[i].right),
                        " is there a second time");
  batch_.clear();
}

int MergeReader::require_token(std::string_view token, const MergeNames& names) const {
  const int id = vocab_.find(token);
  if (id < 0)
    fail<FormatError>(file_, ": ", names.unit, " ", names.at, ": the merge of ", shown(names.left),
                      " and ", shown(names.right), " needs the token ", shown(token),
                      ", which is not in the vocabulary");
  return id;
}

// The token that a merge makes. Trained files number tokens in the order of their merges, so the
// likely one is tried before searching.
int MergeReader::result_of(const MergeNames& names, int likely) const {
  const std::string_view right = names.right.substr(prefix_.size());
  if (vocab_.has(likely)) {
    const std::string_view token = vocab_.token(likely);
    if (token.size() == names.left.size() + right.size() && token.starts_with(names.left) &&
        token.ends_with(right))
      return likely;
  }
  return require_token(std::string(names.left).append(right), names);
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
  options.bytes_only = byte_level;
  const JsonView list = file.merges();
  ensure<FormatError>(list.is(Json::Kind::array), list.file(), ": byte ", list.offset(),
                      ": \"merges\": found ", list.kind_name(), ", wanted an array");
  Vocab vocab = Vocab::read(file.vocab());
  MergeReader reader(vocab, list.file(), options.prefix);
  reader.reserve(list.size());
  for (const JsonView merge : list) reader.add(names_of(merge));
  MergeTable merges = reader.finish();
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
