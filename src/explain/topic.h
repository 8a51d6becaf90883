// What a topic's file provides: its name, what it takes, and how it writes its lesson.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/lang.h"
#include "draw/matrix.h"

namespace jogak {

class Sheet;

// What a topic takes, for help texts and for checking.
struct TopicInput {
  enum class Kind : uint8_t {
    vector,
    matrix,
    integer,
    even,
    divisor,
    indices,  // a row of whole numbers
    number,
    mask,
    shares
  };
  std::string_view name;
  Kind kind;
  Words meaning;
  // "n,d": the same letter is the same size in all inputs of a topic; a number is that size. Of a
  // divisor: the letter of the size it divides.
  std::string_view shape = {};
  double low = -kLargestEntry, high = kLargestEntry;  // what an entry may be
};

struct Topic {
  std::string_view name;
  Words title;
  std::span<const TopicInput> inputs = {};
  bool takes_causal = false, takes_transpose = false;
  void (*write)(Sheet& sheet) = nullptr;
  bool takes_words = false, takes_outline = false, takes_head = false;
};

struct Section {
  Words title;
  std::vector<const Topic*> topics;
};
const std::vector<Section>& topic_sections();  // topics.cpp lists every topic

}  // namespace jogak
