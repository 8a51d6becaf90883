#include "text/regex/backtrack.h"

#include <algorithm>

#include "base/error.h"
#include "text/unicode/unicode.h"

namespace jogak::text::regex {
namespace {

using Op = Instruction::Op;

constexpr uint64_t kMostMemory = uint64_t{1} << 31;  // slots: 512 MiB
// What is remembered keeps nearly all expressions far below this; atomic groups can go beyond it.
constexpr uint64_t kMostVisits = 16, kFreeSteps = 1'000'000;

}  // namespace

Backtracker::Backtracker(const Program& program, std::string_view text)
    : program_(program), text_(text) {
  const uint64_t slots = uint64_t{program.splits()} * (text.size() + 1);
  ensure<FormatError>(slots <= kMostMemory, "text: a piece of ", text.size(),
                      " bytes is too long for a regular expression with ", program.splits(),
                      " choices");
  memory_.resize(slots / 4 + 1);
  steps_left_ = kMostVisits * program.code().size() * (text.size() + 1) + kFreeSteps;
}

uint32_t Backtracker::class_at(size_t place) const {
  if (place == text_.size()) return program_.classes();
  return program_.class_of(code_at(text_.data() + place).value);
}

uint32_t Backtracker::class_before(size_t place) const {
  if (place == 0) return program_.classes();
  return class_at(last_character(text_.substr(0, place)));
}

bool Backtracker::look(const Instruction& in, size_t place) {
  for (uint32_t i = 0; i < in.back; ++i) {
    if (place == 0) return in.negated;
    place = last_character(text_.substr(0, place));
  }
  return (run(in.other, place, true) != kNoMatch) != in.negated;
}

bool Backtracker::step(uint32_t& at, size_t& place) {
  const Instruction& in = program_.code()[at];
  at = in.next;
  switch (in.op) {
    case Op::set:
      if (place == text_.size() || !program_.takes(in.index, class_at(place))) return false;
      place += static_cast<size_t>(size_from_first(text_[place]));
      return true;
    case Op::check: return program_.passes(in.index, class_before(place), class_at(place));
    case Op::look: return look(in, place);
    default: {
      const size_t end = run(in.other, place, false);
      if (end != kNoMatch) place = end;
      return end != kNoMatch;
    }
  }
}

bool Backtracker::enter(uint32_t at, size_t place, size_t base) {
  const size_t here = slot(program_.code()[at].index, place);
  const Memory known = recall(here);
  if (known == kUnknown) {
    remember(here, kOpen);
    choices_.push_back({at, false, place, choices_.size(), guesses_.size()});
    return true;
  }
  if (known == kOpen) {  // one of the last choices, all of them at this place
    size_t open = choices_.size() - 1;
    while (open > base && choices_[open].at != at) --open;
    choices_.back().low = std::min(choices_.back().low, open);
  }
  return false;
}

void Backtracker::give_up(size_t base) {
  const Choice last = choices_.back();
  choices_.pop_back();
  const size_t here = slot(program_.code()[last.at].index, last.place);
  remember(here, kFails);
  if (last.low >= choices_.size()) {  // nothing before it plays a part: all guesses were right
    guesses_.resize(last.guesses);
  } else {
    guesses_.push_back(here);
    if (choices_.size() > base) choices_.back().low = std::min(choices_.back().low, last.low);
  }
}

// `only_whether`: where the match ends does not count, so success can be remembered too.
size_t Backtracker::run(uint32_t at, size_t place, bool only_whether) {
  const size_t base = choices_.size(), guesses = guesses_.size();
  while (true) {
    ensure<FormatError>(steps_left_-- > 0, "text: a piece of ", text_.size(),
                        " bytes takes a regular expression of the tokenizer too many steps");
    bool alive = true;
    const Instruction& in = program_.code()[at];
    if (in.op == Op::end) break;
    if (in.op == Op::split) {
      if (recall(slot(in.index, place)) == kMatches) break;
      alive = enter(at, place, base);
      at = in.next;
    } else {
      alive = step(at, place);
    }
    while (!alive && choices_.size() > base) {
      Choice& last = choices_.back();
      if (last.second) {
        give_up(base);
        continue;
      }
      last.second = alive = true;
      at = program_.code()[last.at].other;
      place = last.place;
    }
    if (!alive) return kNoMatch;
  }
  for (size_t i = base; i < choices_.size(); ++i)
    remember(slot(program_.code()[choices_[i].at].index, choices_[i].place),
             only_whether ? kMatches : kUnknown);
  for (size_t i = guesses; i < guesses_.size(); ++i) remember(guesses_[i], kUnknown);
  guesses_.resize(guesses);
  choices_.resize(base);
  return place;
}

size_t Backtracker::match(size_t at) { return run(program_.start(), at, false); }

}  // namespace jogak::text::regex
