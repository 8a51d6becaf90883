// How few bytes make a text whole: who knows how many tokens are left leaves room for them.
#include <algorithm>

#include "generate/json_machine.h"

namespace jogak {
namespace {

bool has(uint64_t set, size_t i) { return (set >> i & 1) != 0; }

// `"name":value`, of which `read` bytes are there.
int64_t member(const JsonRule& rule, size_t i, int64_t read = 0) {
  return std::ssize(rule.names[i]) - read + 1 + rule.values[i]->shortest;
}

// Members that must still come, each behind a comma.
int64_t missing(const JsonRule& rule, uint64_t seen) {
  int64_t out = 0;
  for (size_t i = 0; i < rule.names.size(); ++i)
    if (has(rule.required, i) && !has(seen, i)) out += 1 + member(rule, i);
  return out;
}

// The same where no comma comes before the first.
int64_t missing_at_first(const JsonRule& rule, uint64_t seen) {
  return std::max<int64_t>(0, missing(rule, seen) - 1);
}

int64_t items_of(const JsonRule& rule, int64_t count) {  // with the commas between them
  return count > 0 ? count * rule.items->shortest + count - 1 : 0;
}

int64_t shortest_of(const JsonRule& rule) {
  int64_t out = JsonRule::kEndless;
  const auto may_be = [&](int64_t bytes) { out = std::min(out, bytes); };
  if (rule.kinds & JsonRule::kNumber) may_be(1);
  if (rule.kinds & JsonRule::kString) may_be(2);
  if (rule.kinds & JsonRule::kObject) may_be(2 + missing_at_first(rule, 0));
  if (rule.kinds & JsonRule::kArray) may_be(2 + items_of(rule, rule.fewest));
  for (const std::string& text : rule.literals) may_be(std::ssize(text));
  return out;
}

}  // namespace

// Rules that mean each other: what is found for one may shorten another. The parts of a rule come
// behind it, so that a pass from the back finds most at once.
void JsonRules::find_shortest() {
  for (bool again = true; again;) {
    again = false;
    for (auto rule = all_.rbegin(); rule != all_.rend(); ++rule) {
      const int64_t now = shortest_of(**rule);
      again = again || now < (*rule)->shortest;
      (*rule)->shortest = now;
    }
  }
}

int64_t JsonMachine::bytes_to_end(State state) const {
  int64_t sum = 0;
  while (state != kWhole) {
    const Frame& frame = frames_[static_cast<size_t>(state)];
    sum = std::min(JsonRule::kEndless, sum + rest_of(frame));
    state = frame.below;
  }
  return sum;
}

int64_t JsonMachine::rest_of(const Frame& f) {
  switch (f.stage) {
    case Stage::value: return f.rule->shortest;
    case Stage::literal: {
      size_t out = f.rule->literals[f.from].size();
      for (uint32_t i = f.from; i < f.to; ++i) out = std::min(out, f.rule->literals[i].size());
      return static_cast<int64_t>(out) - f.at;
    }
    case Stage::string: return 1;
    case Stage::escape: return 2;
    case Stage::hex:
    case Stage::tail: return 1 + static_cast<int64_t>(f.at);
    case Stage::minus:
    case Stage::dot:
    case Stage::exponent:
    case Stage::exponent_sign: return 1;
    case Stage::zero:
    case Stage::digits:
    case Stage::fraction:
    case Stage::exponent_digits: return 0;  // what comes next ends it
    case Stage::first_item:
    case Stage::next_item:
    case Stage::more_item: return rest_of_array(f);
    default: return rest_of_object(f);
  }
}

int64_t JsonMachine::rest_of_array(const Frame& f) {
  const int64_t fewest = std::max<int64_t>(0, f.rule->fewest - static_cast<int64_t>(f.seen));
  if (f.stage == Stage::next_item) return items_of(*f.rule, fewest) + (fewest > 0) + 1;
  return items_of(*f.rule, f.stage == Stage::more_item ? std::max<int64_t>(1, fewest) : fewest) + 1;
}

int64_t JsonMachine::rest_of_object(const Frame& f) {
  const JsonRule& rule = *f.rule;
  if (f.stage == Stage::first_name) return missing_at_first(rule, f.seen) + 1;
  if (f.stage == Stage::next_member) return missing(rule, f.seen) + 1;
  if (rule.names.empty()) {  // any name
    const int64_t value = 1 + (rule.others ? rule.others->shortest : JsonRule::kEndless);
    return value + (f.stage == Stage::colon ? 1 : 3);
  }
  if (f.stage == Stage::colon) return 1 + rule.values[f.from]->shortest + missing(rule, f.seen) + 1;
  const bool begun = f.stage == Stage::name;
  const size_t first = begun ? f.from : 0, end = begun ? f.to : rule.names.size();
  int64_t out = JsonRule::kEndless;
  for (size_t i = first; i < end; ++i)
    if (!has(f.seen, i))
      out = std::min(
          out, member(rule, i, begun ? f.at : 0) + missing(rule, f.seen | uint64_t{1} << i) + 1);
  return out;
}

}  // namespace jogak
