#include "text/regex/dfa.h"

#include <map>
#include <utility>

namespace jogak::text::regex {
namespace {

constexpr size_t kMostStates = 4000;
constexpr uint64_t kMostWork = 4'000'000;  // instructions looked at while building
constexpr uint32_t kDead = 0;

}  // namespace

class DfaBuilder {
 public:
  DfaBuilder(const Program& program, Dfa& dfa)
      : program_(program), dfa_(dfa), seen_(program.code().size()) {}

  bool build() {
    dfa_.width_ = program_.classes() + 1;
    state_of({}, 0);  // the dead one
    const uint32_t befores = program_.looks_before() ? dfa_.width_ : 1;
    for (uint32_t before = 0; before < befores; ++before)
      dfa_.starts_.push_back(state_of({program_.start()}, before));
    for (size_t state = 0; state < states_.size(); ++state)
      for (uint32_t c = 0; c < dfa_.width_; ++c) {
        if (states_.size() > kMostStates || work_ > kMostWork) return false;
        dfa_.table_.push_back(step(states_[state], c));
      }
    return true;
  }

 private:
  // Where the program stands, best way first, before what follows is known.
  struct State {
    std::vector<uint32_t> places;
    uint32_t before;
    auto operator<=>(const State&) const = default;
  };

  uint32_t state_of(std::vector<uint32_t> places, uint32_t before) {
    if (places.empty()) before = 0;
    const auto number = static_cast<uint32_t>(states_.size());
    const auto [found, fresh] = numbers_.try_emplace({std::move(places), before}, number);
    if (fresh) states_.push_back(found->first);
    return found->second;
  }

  uint32_t step(State from, uint32_t c) {
    bool match = false;
    std::vector<uint32_t> next;
    ++round_;
    stack_.assign(from.places.rbegin(), from.places.rend());
    while (!stack_.empty()) {
      const uint32_t at = stack_.back();
      stack_.pop_back();
      ++work_;
      if (std::exchange(seen_[at], round_) == round_) continue;
      const Instruction& in = program_.code()[at];
      if (in.op == Instruction::Op::end) {
        match = true;
        break;  // all other ways are worse
      }
      if (in.op == Instruction::Op::split) {
        stack_.push_back(in.other);
        stack_.push_back(in.next);
      } else if (in.op == Instruction::Op::check) {
        if (program_.passes(in.index, from.before, c)) stack_.push_back(in.next);
      } else if (c < program_.classes() && program_.takes(in.index, c)) {
        next.push_back(in.next);
      }
    }
    const uint32_t before = program_.looks_before() ? c : 0;
    return state_of(std::move(next), before) << 1 | uint32_t{match};
  }

  const Program& program_;
  Dfa& dfa_;
  std::vector<State> states_;
  std::map<State, uint32_t> numbers_;
  std::vector<uint32_t> stack_, seen_;
  uint32_t round_ = 0;
  uint64_t work_ = 0;
};

std::unique_ptr<Dfa> Dfa::make(const Program& program) {
  if (program.has_lookaround()) return nullptr;
  auto dfa = std::make_unique<Dfa>();
  dfa->program_ = &program;
  if (!DfaBuilder(program, *dfa).build()) return nullptr;
  for (char32_t c = 0; c < 128; ++c) dfa->ascii_[c] = program.class_of(c);
  return dfa;
}

uint32_t Dfa::start(std::string_view text, size_t at) const {
  if (starts_.size() == 1) return starts_[0];
  if (at == 0) return starts_.back();
  const size_t before = last_character(text.substr(0, at));
  return starts_[program_->class_of(code_at(text.data() + before).value)];
}

size_t Dfa::match(std::string_view text, size_t at, size_t& looked) const {
  size_t end = kNoMatch;
  const uint32_t* const table = table_.data();
  uint32_t state = start(text, at);
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    uint32_t c = 0;
    size_t size = 1;
    if (byte < 0x80) {
      c = ascii_[byte];
    } else {
      const Code code = code_at(text.data() + at);
      c = program_->class_of(code.value);
      size = static_cast<size_t>(code.size);
    }
    const uint32_t step = table[state * width_ + c];
    if (step & 1) end = at;
    state = step >> 1;
    if (state == kDead) {
      looked = at;
      return end;
    }
    at += size;
  }
  looked = at;
  return table[state * width_ + width_ - 1] & 1 ? at : end;
}

}  // namespace jogak::text::regex
