#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "text/models/unigram.h"
#include "text/reading.h"

namespace jogak::text {
namespace {

UnigramPiece piece_of(const JsonView& item) {
  const auto wrong = [&](const JsonView& where, const std::string& found, const char* wanted) {
    fail<FormatError>(item.file(), ": byte ", where.offset(), ": a unigram piece: found ", found,
                      ", wanted ", wanted);
  };
  if (!item.is(Json::Kind::array)) wrong(item, item.kind_name(), "[\"piece\", score]");
  if (item.size() != 2) wrong(item, text_of(item.size(), " parts"), "[\"piece\", score]");
  auto part = item.begin();
  const JsonView name = *part, score = *++part;
  if (!name.is(Json::Kind::string)) wrong(name, name.kind_name(), "a string");
  if (!score.is(Json::Kind::number) && !score.is(Json::Kind::integer))
    wrong(score, score.kind_name(), "a number");
  const std::string_view text = name.text();
  if (text.size() > kLongestPiece) wrong(name, text_of(text.size(), " bytes"), "at most 65536");
  const double read = number_of_reference(score.written());
  if (!std::isfinite(score.number()) || !std::isfinite(read))
    wrong(score, std::string(score.written()), "a finite score");
  return {.text = text, .score = read, .findable = !text.empty(), .written = score.number()};
}

constexpr int64_t kMostPower = 308;  // of ten

double power_of_ten(int64_t power) {
  static const auto kPowers = [] {
    std::array<double, kMostPower + 1> out{};
    for (size_t i = 0; i < out.size(); ++i) {
      const std::string text = "1e" + std::to_string(i);  // multiplying up would round
      std::from_chars(text.data(), text.data() + text.size(), out[i]);
    }
    return out;
  }();
  return kPowers[static_cast<size_t>(power)];
}

}  // namespace

double number_of_reference(std::string_view written) {
  uint64_t digits = 0;
  int64_t exponent = 0;
  bool full = false, fraction = false;  // more digits do not fit; behind the point
  size_t at = written.starts_with('-') ? 1 : 0;
  for (; at < written.size() && written[at] != 'e' && written[at] != 'E'; ++at) {
    if (written[at] == '.') {
      fraction = true;
      full = false;
      continue;
    }
    const auto digit = static_cast<uint64_t>(written[at] - '0');
    full = full || digits > (UINT64_MAX - digit) / 10;
    if (!full) digits = 10 * digits + digit;
    exponent += int64_t{full} - int64_t{fraction};
  }
  if (at + 1 < written.size()) {
    constexpr int64_t kMost = INT32_MAX;
    int64_t power = 0;
    const bool below = written[at + 1] == '-';
    for (size_t i = at + 1; i < written.size(); ++i)
      if (written[i] >= '0' && written[i] <= '9')
        power = std::min(10 * power + (written[i] - '0'), kMost);
    exponent += below ? -power : power;
  }
  auto value = static_cast<double>(digits);
  for (; exponent < -kMostPower && value != 0; exponent += kMostPower) value /= 1e308;
  if (exponent > kMostPower) {
    if (value != 0) value = INFINITY;
  } else if (exponent >= 0) {
    value *= power_of_ten(exponent);
  } else if (exponent >= -kMostPower) {
    value /= power_of_ten(-exponent);
  }
  return written.starts_with('-') ? -value : value;
}

std::unique_ptr<Model> Unigram::read(const ModelFile& file) {
  const Fields& fields = file.fields();
  only_keys(fields, {"type", "unk_id", "vocab", "byte_fallback"});
  const JsonView list = file.vocab();
  ensure<FormatError>(list.is(Json::Kind::array), list.file(), ": byte ", list.offset(),
                      ": \"vocab\": found ", list.kind_name(), ", wanted an array");
  std::vector<UnigramPiece> pieces;
  pieces.reserve(list.size());
  StringIndex known;
  known.reserve(list.size());
  for (const JsonView item : list) {
    pieces.push_back(piece_of(item));
    const auto text_at = [&](uint32_t i) { return pieces[i].text; };
    if (const auto [id, is_new] = known.insert(pieces.back().text, text_at); !is_new)
      fail<FormatError>(list.file(), ": byte ", item.offset(), ": piece ",
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
