// Questions about texts, each with its answers, which stand in the text word for word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jogak {

struct Question {
  std::string question, context;
  std::vector<std::string> answers;  // at least one; any of them is right
  size_t start = 0, end = 0;         // characters of the context that the first answer is
};

struct QuestionTexts {
  std::vector<Question> questions;
  std::string name;  // what errors call them
};

// SQuAD's and KorQuAD's .json ("data", "paragraphs", "qas"), or a .jsonl with one object a line:
// "question", "context" and "answers": {"text": [..], "answer_start": [..]}; .gz and .zst too.
// FormatError with the place for the rest: an answer that does not stand where it is said to, a
// question without one, a file without a question.
QuestionTexts read_questions(const std::string& file, const std::string& where_to_get = "");

// About generated lines "date = 2031-05-09": which part of the date is asked for.
QuestionTexts date_questions(const std::vector<std::string>& lines);

// Bytes first .. last of the text's characters from .. to.
std::string characters(const std::string& text, size_t from, size_t to);

}  // namespace jogak
