#include "score/answers.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <vector>

#include "base/lowercase.h"

namespace jogak {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

double word_f1(const std::string& found, const std::string& right) {
  const std::vector<std::string> a = words_of(found), b = words_of(right);
  std::map<std::string, int> left;
  for (const std::string& word : b) ++left[word];
  int common = 0;
  for (const std::string& word : a)
    if (left[word]-- > 0) ++common;
  return common == 0 ? 0 : 2.0 * common / static_cast<double>(a.size() + b.size());
}

}  // namespace

std::string plain_answer(const std::string& text) {
  std::string letters;
  for (const char c : lowercase(text))
    if (std::ispunct(static_cast<unsigned char>(c)) == 0) letters += c;
  std::string out;
  for (const std::string& word : words_of(letters))
    if (word != "a" && word != "an" && word != "the") out += (out.empty() ? "" : " ") + word;
  return out;
}

void AnswerScore::add(const std::string& found, std::span<const std::string> right) {
  const std::string plain = plain_answer(found);
  double exact = 0, f1 = 0;
  for (const std::string& one : right) {
    const std::string wanted = plain_answer(one);
    exact = std::max(exact, plain == wanted ? 1.0 : 0.0);
    f1 = std::max(f1, word_f1(plain, wanted));
  }
  ++questions_;
  exact_ += exact, f1_ += f1;
}

}  // namespace jogak
