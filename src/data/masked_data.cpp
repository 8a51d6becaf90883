#include "data/masked_data.h"

#include <algorithm>

#include "base/random.h"
#include "data/label_data.h"

namespace jogak {
namespace {

constexpr uint64_t kChoice = 0x6D61736B, kShift = 0x7368696674;

int64_t room_in(int64_t context, const Masking& m) {
  const auto around = static_cast<int64_t>(m.opening.size() + m.closing.size());
  ensure<Error>(context > around, "masked text in a context of ", context,
                " tokens, wanted at least ", around + 1);
  return context - around;
}

void check(const Masking& m) {
  ensure<Error>(
      m.share > 0 && m.share <= 1 && m.masked >= 0 && m.random >= 0 && m.masked + m.random <= 1,
      "masking: found a share of ", m.share, ", ", m.masked, " masked and ", m.random,
      " random, wanted shares from 0 to 1");
  ensure<Error>(m.mask_id >= 0 && m.mask_id < m.vocab, "masking: the mask token has id ", m.mask_id,
                ", wanted 0 to ", m.vocab - 1);
  int64_t ordinary = 0;
  for (int64_t id = 0; id < m.vocab; ++id)
    ordinary += static_cast<size_t>(id) >= m.special.size() || !m.special[static_cast<size_t>(id)];
  ensure<Error>(ordinary > 0, "masking: every token of the vocabulary is a special one");
}

bool is_special(const Masking& m, int64_t id) {
  return static_cast<size_t>(id) < m.special.size() && m.special[static_cast<size_t>(id)];
}

int64_t any_token(const Masking& m, Rng& rng) {
  int64_t id = 0;
  do {
    id = static_cast<int64_t>(rng.below(static_cast<uint64_t>(m.vocab)));
  } while (is_special(m, id));
  return id;
}

struct Hidden {
  size_t place;
  int64_t was;
};

// Hides tokens of a row in place.
std::vector<Hidden> hide(std::vector<int64_t>& row, const Masking& m, Rng rng) {
  const size_t first = m.opening.size(), last = row.size() - m.closing.size();
  std::vector<size_t> places, chosen;
  for (size_t i = first; i < last; ++i)
    if (!is_special(m, row[i])) places.push_back(i);
  for (const size_t i : places)
    if (rng.uniform() < m.share) chosen.push_back(i);
  if (chosen.empty() && !places.empty()) chosen.push_back(places[rng.below(places.size())]);
  std::vector<Hidden> out;
  for (const size_t i : chosen) {
    out.push_back({i, row[i]});
    const double kind = rng.uniform();
    if (kind < m.masked)
      row[i] = m.mask_id;
    else if (kind < m.masked + m.random)
      row[i] = any_token(m, rng);
  }
  return out;
}

}  // namespace

MaskedData::MaskedData(TokenFile tokens, int64_t context, Masking masking)
    : masking_(std::move(masking)), name_(tokens.name()), room_(room_in(context, masking_)) {
  check(masking_);
  ensure<FormatError>(tokens.count() >= 1, name_, ": found no token to hide");
  text_.emplace(std::move(tokens));
}

MaskedData::MaskedData(const std::vector<std::string>& lines, const std::string& name,
                       const Encode& encode, int64_t context, Masking masking)
    : masking_(std::move(masking)), name_(name), room_(room_in(context, masking_)) {
  check(masking_);
  starts_.push_back(0);
  for (const std::string& line : lines) {
    std::vector<int> ids = encode(line);
    if (ids.empty()) continue;
    if (static_cast<int64_t>(ids.size()) > room_) {
      ids.resize(static_cast<size_t>(room_));
      ++shortened_;
    }
    for (const int id : ids)
      ensure<Error>(id >= 0 && id < masking_.vocab, "the tokenizer gave id ", id, ", wanted 0 to ",
                    masking_.vocab - 1);
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    starts_.push_back(ids_.size());
  }
  ensure<FormatError>(starts_.size() > 1, name, ": found no line to learn from");
}

int64_t MaskedData::tokens() const {
  return text_ ? text_->count() : static_cast<int64_t>(ids_.size());
}

int64_t MaskedData::eval_size() const {
  return text_ ? (text_->count() + room_ - 1) / room_ : static_cast<int64_t>(starts_.size()) - 1;
}

int64_t MaskedData::size() const {
  if (!text_) return eval_size();
  const int64_t whole = text_->count() / room_;
  ensure<FormatError>(whole >= 1, name_, ": found ", text_->count(), " tokens, wanted at least ",
                      room_, " for one example");
  return std::max<int64_t>(whole - 1, 1);
}

std::vector<int64_t> MaskedData::example(int64_t index, int64_t epoch, bool evaluation) const {
  const int64_t most = evaluation ? eval_size() : size();
  ensure<Error>(index >= 0 && index < most, name_, ": example ", index, " asked for, there are ",
                most);
  std::vector<int64_t> out(masking_.opening.begin(), masking_.opening.end());
  if (text_) {
    int64_t begin = index * room_;
    if (!evaluation) {
      const int64_t spare = text_->count() - size() * room_;
      Rng rng = Rng(masking_.seed, static_cast<uint64_t>(epoch)).split(kShift);
      begin +=
          static_cast<int64_t>(rng.below(static_cast<uint64_t>(std::min(spare, room_ - 1)) + 1));
    }
    const auto length = static_cast<size_t>(std::min(room_, text_->count() - begin));
    out.resize(out.size() + length);
    text_->read(begin, std::span(out).last(length));
  } else {
    const auto i = static_cast<size_t>(index);
    out.insert(out.end(), ids_.begin() + static_cast<int64_t>(starts_[i]),
               ids_.begin() + static_cast<int64_t>(starts_[i + 1]));
  }
  out.insert(out.end(), masking_.closing.begin(), masking_.closing.end());
  return out;
}

MaskedBatch MaskedData::make(std::span<const Pick> picks, bool evaluation) const {
  std::vector<std::vector<int32_t>> rows;
  std::vector<std::vector<Hidden>> hidden;
  size_t width = 1;
  for (const Pick& pick : picks) {
    std::vector<int64_t> row = example(pick.index, pick.epoch, evaluation);
    // Apart from every training epoch: evaluation draws from a stream of its own.
    const Rng rng(masking_.seed, evaluation ? ~uint64_t{0} : static_cast<uint64_t>(pick.epoch));
    hidden.push_back(
        hide(row, masking_, rng.split(kChoice).split(static_cast<uint64_t>(pick.index))));
    rows.emplace_back(row.begin(), row.end());
    width = std::max(width, row.size());
  }
  const LabelBatch padded = padded_rows({rows.begin(), rows.end()}, masking_.pad_id);
  MaskedBatch out{padded.ids, padded.mask, {}, {}, 0};
  std::vector<int64_t> wanted, targets;
  for (size_t r = 0; r < rows.size(); ++r)
    for (const Hidden& one : hidden[r]) {
      wanted.push_back(static_cast<int64_t>(r * width + one.place));
      targets.push_back(one.was);
    }
  out.tokens = static_cast<int64_t>(wanted.size());
  out.wanted = from_values(wanted, {out.tokens});
  out.targets = from_values(targets, {out.tokens});
  return out;
}

MaskedBatch MaskedData::batch(std::span<const Pick> picks) const { return make(picks, false); }

MaskedBatch MaskedData::eval_batch(int64_t first, int64_t count) const {
  std::vector<Pick> picks;
  for (int64_t i = first; i < std::min(first + count, eval_size()); ++i) picks.push_back({i, 0});
  return make(picks, true);
}

}  // namespace jogak
