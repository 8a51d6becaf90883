#include "generate/json_machine.h"

#include <algorithm>

namespace jogak {
namespace {

constexpr uint16_t kDeepest = 32;
constexpr uint32_t kLongestNumber = 24;  // digits; more say nothing

bool is_digit(unsigned char byte) { return byte >= '0' && byte <= '9'; }

}  // namespace

JsonMachine::JsonMachine(const JsonRule& root) { frames_.push_back({.rule = &root}); }

bool JsonMachine::number_may_end(Stage stage) {
  return stage == Stage::zero || stage == Stage::digits || stage == Stage::fraction ||
         stage == Stage::exponent_digits;
}

bool JsonMachine::may_end(State state) const {
  if (state == kWhole) return true;
  const Frame& frame = frames_[static_cast<size_t>(state)];
  return frame.below == kWhole && number_may_end(frame.stage);
}

bool JsonMachine::take(State& state, unsigned char byte) {
  if (state == kWhole) return false;
  Frame frame = frames_[static_cast<size_t>(state)];
  switch (frame.stage) {
    case Stage::value: return take_value(state, frame, byte);
    case Stage::literal: return take_literal(state, frame, byte, frame.rule->literals);
    case Stage::string:
    case Stage::tail: return take_string(state, frame, byte);
    case Stage::escape:
    case Stage::hex: return take_escape(state, frame, byte);
    case Stage::first_name:
    case Stage::name:
    case Stage::colon:
    case Stage::next_member:
    case Stage::more_name: return take_in_object(state, frame, byte);
    case Stage::first_item:
    case Stage::next_item:
    case Stage::more_item: return take_in_array(state, frame, byte);
    default: return take_number(state, frame, byte);
  }
}

bool JsonMachine::take_value(State& state, const Frame& frame, unsigned char byte) {
  const JsonRule& rule = *frame.rule;
  Frame next = frame;
  next.blank = true;
  if (byte == ' ' && frame.blank) {
    next.blank = false;
    return to(state, next, Stage::value);
  }
  if (rule.kinds & JsonRule::kLiterals) {
    next.from = 0, next.to = static_cast<uint32_t>(rule.literals.size()), next.at = 0;
    if (take_literal(state, next, byte, rule.literals)) return true;
  }
  const bool deep = frame.depth >= kDeepest;
  next.depth = static_cast<uint16_t>(frame.depth + 1);
  if (byte == '"' && (rule.kinds & JsonRule::kString)) return to(state, next, Stage::string);
  if (byte == '{' && (rule.kinds & JsonRule::kObject) && !deep)
    return to(state, next, Stage::first_name);
  if (byte == '[' && (rule.kinds & JsonRule::kArray) && !deep)
    return to(state, next, Stage::first_item);
  if (!(rule.kinds & JsonRule::kNumber)) return false;
  if (byte == '-') return to(state, next, Stage::minus);
  if (byte == '0') return to(state, next, Stage::zero);
  return is_digit(byte) && to(state, next, Stage::digits);
}

// Those that go on with this byte stand together, because they are sorted.
bool JsonMachine::take_literal(State& state, Frame frame, unsigned char byte,
                               const std::vector<std::string>& all) {
  const auto at = [&](uint32_t i) {
    return frame.at < all[i].size() ? static_cast<unsigned char>(all[i][frame.at]) : 0;
  };
  const bool names = frame.stage == Stage::name;
  while (frame.from < frame.to && at(frame.from) != byte) ++frame.from;
  uint32_t end = frame.from;
  bool fresh = false;
  for (; end < frame.to && at(end) == byte; ++end)
    fresh = fresh || !names || !(frame.seen >> end & 1);
  if (end == frame.from || !fresh) return false;
  frame.to = end;
  ++frame.at;
  if (all[frame.from].size() > frame.at)
    return to(state, frame, names ? Stage::name : Stage::literal);
  if (!names) return done(state, frame);  // literals end with a quote or are told apart before
  frame.seen |= uint64_t{1} << frame.from;
  frame.to = frame.from + 1;
  return to(state, frame, Stage::colon);
}

bool JsonMachine::take_string(State& state, Frame frame, unsigned char byte) {
  if (frame.stage == Stage::tail) {
    if (byte < frame.low || byte > frame.high) return false;
    frame.low = 0x80, frame.high = 0xBF;
    return to(state, frame, --frame.at > 0 ? Stage::tail : Stage::string);
  }
  if (byte == '"') return done(state, frame);
  if (byte == '\\') return to(state, frame, Stage::escape);
  if (byte < 0x20) return false;
  if (byte < 0x80) return true;
  frame.low = 0x80, frame.high = 0xBF;
  if (byte < 0xC2 || byte > 0xF4) return false;
  frame.at = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
  if (byte == 0xE0) frame.low = 0xA0;
  if (byte == 0xED) frame.high = 0x9F;
  if (byte == 0xF0) frame.low = 0x90;
  if (byte == 0xF4) frame.high = 0x8F;
  return to(state, frame, Stage::tail);
}

bool JsonMachine::take_escape(State& state, Frame frame, unsigned char byte) {
  if (frame.stage == Stage::escape) {
    frame.at = 4, frame.high = 'f';
    if (byte == 'u') return to(state, frame, Stage::hex);
    return std::string_view("\"\\/bfnrt").find(static_cast<char>(byte)) != std::string_view::npos &&
           to(state, frame, Stage::string);
  }
  const auto low = static_cast<unsigned char>(byte | 0x20);
  if (!is_digit(byte) && !(low >= 'a' && low <= 'f')) return false;
  if (frame.high == '7' && (!is_digit(byte) || byte > '7')) return false;
  frame.high = frame.at == 4 && low == 'd' ? '7' : 'f';  // no halves of pairs
  return to(state, frame, --frame.at > 0 ? Stage::hex : Stage::string);
}

bool JsonMachine::take_number(State& state, Frame frame, unsigned char byte) {
  const Stage s = frame.stage;
  const bool whole = frame.rule->whole_numbers, digit = is_digit(byte);
  const bool room = ++frame.at < kLongestNumber;
  if (s == Stage::minus && digit)
    return to(state, frame, byte == '0' ? Stage::zero : Stage::digits);
  if (s == Stage::digits && digit && room) return to(state, frame, s);
  if ((s == Stage::dot || s == Stage::fraction) && digit && room)
    return to(state, frame, Stage::fraction);
  if ((s == Stage::exponent || s == Stage::exponent_sign) && digit)
    return frame.from = 0, to(state, frame, Stage::exponent_digits);
  if (s == Stage::exponent && (byte == '+' || byte == '-'))
    return to(state, frame, Stage::exponent_sign);
  if (s == Stage::exponent_digits && digit && frame.from == 0)
    return frame.from = 1, to(state, frame, s);  // two digits: a double holds it
  if (!number_may_end(s)) return false;
  if (byte == '.' && !whole && (s == Stage::zero || s == Stage::digits) && room)
    return to(state, frame, Stage::dot);
  if ((byte == 'e' || byte == 'E') && !whole && s != Stage::exponent_digits)
    return to(state, frame, Stage::exponent);
  state = frame.below;  // the byte is not the number's
  return take(state, byte);
}

void JsonMachine::begin_value(State& state, Frame frame, Stage then, const JsonRule* rule) {
  frame.stage = then;
  frame.blank = true;
  const State below = push(frame);
  state = push({.below = below, .rule = rule, .depth = frame.depth});
}

bool JsonMachine::begin_name(State& state, Frame frame) {
  const JsonRule& rule = *frame.rule;
  if (!rule.names.empty()) {
    frame.stage = Stage::name;
    frame.from = 0, frame.to = static_cast<uint32_t>(rule.names.size()), frame.at = 0;
    return take_literal(state, frame, '"', rule.names);
  }
  if (!rule.others) return false;
  frame.stage = Stage::colon;
  const State below = push(frame);
  state = push({.below = below, .rule = frame.rule, .stage = Stage::string});
  return true;
}

bool JsonMachine::take_in_object(State& state, Frame frame, unsigned char byte) {
  const JsonRule& rule = *frame.rule;
  const Stage s = frame.stage;
  if (s == Stage::name) return take_literal(state, frame, byte, rule.names);
  if (s == Stage::colon) {
    if (byte != ':') return false;
    begin_value(state, frame, Stage::next_member,
                rule.names.empty() ? rule.others : rule.values[frame.from]);
    return true;
  }
  if (byte == ' ' && s == Stage::more_name && frame.blank) {
    frame.blank = false;
    return to(state, frame, s);
  }
  if (byte == '"' && s != Stage::next_member) return begin_name(state, frame);
  if (byte == '}' && s != Stage::more_name)
    return (frame.seen & rule.required) == rule.required && done(state, frame);
  const bool all = !rule.names.empty() && frame.seen + 1 == uint64_t{1} << rule.names.size();
  if (byte != ',' || s != Stage::next_member || all) return false;
  frame.blank = true;
  return to(state, frame, Stage::more_name);
}

bool JsonMachine::take_in_array(State& state, Frame frame, unsigned char byte) {
  const JsonRule& rule = *frame.rule;
  const auto items = static_cast<int64_t>(frame.seen);
  if (frame.stage == Stage::next_item) {
    if (byte == ']') return items >= rule.fewest && done(state, frame);
    return byte == ',' && items < rule.most && to(state, frame, Stage::more_item);
  }
  if (frame.stage == Stage::first_item && byte == ']')
    return rule.fewest == 0 && done(state, frame);
  if (items >= rule.most) return false;
  ++frame.seen;
  begin_value(state, frame, Stage::next_item, rule.items);
  return take(state, byte);
}

}  // namespace jogak
