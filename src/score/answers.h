// How near an answer comes to the right ones, as SQuAD's script counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace jogak {

// Small letters, without punctuation, without "a", "an" and "the", single blanks.
std::string plain_answer(const std::string& text);

class AnswerScore {
 public:
  // Of the right answers the one that fits best counts.
  void add(const std::string& found, std::span<const std::string> right);
  int64_t questions() const { return questions_; }
  double exact_match() const { return questions_ ? exact_ / static_cast<double>(questions_) : 0; }
  double f1() const { return questions_ ? f1_ / static_cast<double>(questions_) : 0; }  // of words

 private:
  int64_t questions_ = 0;
  double exact_ = 0, f1_ = 0;
};

}  // namespace jogak
