// Reads JSON byte by byte and says which byte may come next, by the rules of a schema. A state is
// one number, so that the bytes of all tokens can be tried from it: what it stands for are frames
// that are never changed, each naming the one below it.
//
// Between the parts of a text one space may stand, and nothing else: a text that may be blank
// without end need never be done.
#pragma once

#include "generate/json_rules.h"

namespace jogak {

class JsonMachine {
 public:
  using State = int32_t;  // the frame on top; -1: the text is whole
  static constexpr State kWhole = -1;

  explicit JsonMachine(const JsonRule& root);

  State start() const { return 0; }
  bool take(State& state, unsigned char byte);  // false: it cannot come here
  bool may_end(State state) const;              // whole, or a number that nothing goes on with
  int64_t bytes_to_end(State state) const;      // at least so many make the text whole

  size_t size() const { return frames_.size(); }
  void cut(size_t size) { frames_.resize(size); }  // forgets states that came since

 private:
  enum class Stage : uint8_t {
    value,
    literal,  // before a value; within a literal
    string,
    escape,
    hex,
    tail,  // within a string
    minus,
    zero,
    digits,
    dot,
    fraction,
    exponent,
    exponent_sign,
    exponent_digits,
    first_name,
    name,
    colon,
    next_member,
    more_name,  // objects
    first_item,
    next_item,
    more_item  // arrays
  };
  struct Frame {
    State below = kWhole;
    const JsonRule* rule = nullptr;
    Stage stage = Stage::value;
    uint8_t low = 0, high = 0;  // of the next byte of a character, hex digits left
    bool blank = true;          // one space may still come
    uint16_t depth = 0;
    uint32_t from = 0, to = 0, at = 0;  // literals that still fit, and how far they were read
    uint64_t seen = 0;                  // names that came, items so far
  };

  State push(Frame frame) {
    frames_.push_back(frame);
    return static_cast<State>(frames_.size()) - 1;
  }
  bool to(State& state, Frame frame, Stage stage) {
    frame.stage = stage;
    state = push(frame);
    return true;
  }
  bool done(State& state, const Frame& frame) {
    state = frame.below;
    return true;
  }
  bool take_value(State& state, const Frame& frame, unsigned char byte);
  bool take_literal(State& state, Frame frame, unsigned char byte,
                    const std::vector<std::string>& all);
  bool take_string(State& state, Frame frame, unsigned char byte);
  bool take_escape(State& state, Frame frame, unsigned char byte);
  bool take_number(State& state, Frame frame, unsigned char byte);
  bool take_in_object(State& state, Frame frame, unsigned char byte);
  bool take_in_array(State& state, Frame frame, unsigned char byte);
  bool begin_name(State& state, Frame frame);
  void begin_value(State& state, Frame frame, Stage then, const JsonRule* rule);
  static bool number_may_end(Stage stage);
  static int64_t rest_of(const Frame& frame);
  static int64_t rest_of_object(const Frame& frame);
  static int64_t rest_of_array(const Frame& frame);

  std::vector<Frame> frames_;
};

}  // namespace jogak
