#include <cmath>
#include <utility>

#include "text/reading.h"
#include "text/unigram.h"

namespace jogak::text {
namespace {

// Cutting looks this far ahead from every character.
constexpr size_t kLongestPiece = size_t{64} << 10;

UnigramPiece piece_of(const Json& item, const std::string& file) {
  const auto wrong = [&](const Json& where, const std::string& found, const char* wanted) {
    fail<FormatError>(file, ": byte ", where.offset(), ": a unigram piece: found ", found,
                      ", wanted ", wanted);
  };
  if (!item.is_array()) wrong(item, item.kind_name(), "[\"piece\", score]");
  const auto& parts = item.items();
  if (parts.size() != 2) wrong(item, text_of(parts.size(), " parts"), "[\"piece\", score]");
  if (!parts[0].is_string()) wrong(parts[0], parts[0].kind_name(), "a string");
  if (!parts[1].is_number()) wrong(parts[1], parts[1].kind_name(), "a number");
  const std::string& text = parts[0].text();
  if (text.size() > kLongestPiece) wrong(parts[0], text_of(text.size(), " bytes"), "at most 65536");
  if (!std::isfinite(parts[1].number())) wrong(parts[1], parts[1].dump(), "a finite score");
  return {.text = text, .score = parts[1].number(), .findable = !text.empty()};
}

}  // namespace

std::unique_ptr<Model> Unigram::read(const Fields& fields) {
  only_keys(fields, {"type", "unk_id", "vocab", "byte_fallback"});
  const std::vector<Json>& list = fields.list("vocab");
  std::vector<UnigramPiece> pieces;
  pieces.reserve(list.size());
  StringIndex known;
  for (const Json& item : list) {
    pieces.push_back(piece_of(item, fields.file()));
    const auto text_at = [&](uint32_t i) { return pieces[i].text; };
    if (const auto [id, is_new] = known.insert(pieces.back().text, text_at); !is_new)
      fail<FormatError>(fields.file(), ": byte ", item.offset(), ": piece ",
                        shown(pieces.back().text), " is there twice, with the ids ", id, " and ",
                        pieces.size() - 1);
  }
  UnigramOptions options;
  if (fields.has("unk_id")) {
    const Json& unk = fields.at("unk_id");
    const auto count = static_cast<int64_t>(pieces.size());
    if (!unk.is_integer() || unk.integer() < 0 || unk.integer() >= count)
      fields.wrong(unk, "unk_id", text_of("the id of one of the ", count, " pieces"));
    options.unk_id = static_cast<int>(unk.integer());
  }
  options.byte_fallback = fields.flag_or("byte_fallback", false);
  return std::make_unique<Unigram>(pieces, options);
}

Json Unigram::to_json() const {
  Json list = Json::array();
  for (int id = 0; id < vocab_.size(); ++id)
    list.push(Json::array({Json(vocab_.token(id)), Json(scores_[id])}));
  return Json::object({{"type", "Unigram"},
                       {"unk_id", options_.unk_id < 0 ? Json() : Json(options_.unk_id)},
                       {"vocab", std::move(list)},
                       {"byte_fallback", options_.byte_fallback}});
}

}  // namespace jogak::text
