#include "data/question_text.h"

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "data/line_data.h"
#include "data/table.h"

namespace jogak {
namespace {

// The byte at which a text's character `count` begins; its size where there are fewer.
size_t byte_at(std::string_view text, size_t count) {
  size_t at = 0;
  for (; count > 0 && at < text.size(); --count)
    at += static_cast<size_t>(utf8::decode(text, at).size);
  return at;
}

// The first answer says where it stands.
void place(Question& q, const Fields& fields, const Json& start) {
  constexpr const char* kStart = "answer_start";
  if (!start.is_integer() || start.integer() < 0)
    fields.wrong(start, kStart, "the place of the answer's first character");
  q.start = static_cast<size_t>(start.integer());
  q.end = q.start + utf8::count(q.answers[0]);
  if (q.answers[0].empty() || characters(q.context, q.start, q.end) != q.answers[0])
    fields.wrong(start, kStart,
                 text_of("the place in the context where ", json_quote(q.answers[0]), " stands"));
}

void no_answer(const Fields& fields, const Json& at) {
  fields.wrong(at, "answers", "at least one: a question without an answer is not learnt");
}

const std::string& word_of(const Fields& fields, const Json& value, const char* key) {
  if (!value.is_string()) fields.wrong(value, key, "a text");
  return value.text();
}

// [{"text": .., "answer_start": ..}, ..]
void read_list(Question& q, const Fields& fields) {
  const std::vector<Json>& answers = fields.list("answers");
  if (answers.empty()) no_answer(fields, fields.at("answers"));
  for (const Json& one : answers) q.answers.push_back(Fields(one, fields.file()).text("text"));
  const Fields first(answers[0], fields.file());
  place(q, first, first.at("answer_start"));
}

// {"text": [..], "answer_start": [..]}
void read_columns(Question& q, const Fields& fields) {
  const Fields answers = fields.object("answers");
  const std::vector<Json>&texts = answers.list("text"), &starts = answers.list("answer_start");
  if (texts.empty() || starts.size() != texts.size()) no_answer(fields, fields.at("answers"));
  for (const Json& one : texts) q.answers.push_back(word_of(answers, one, "text"));
  place(q, answers, starts[0]);
}

void read_answers(Question& q, const Fields& fields) {
  if (fields.at("answers").is_array())
    read_list(q, fields);
  else
    read_columns(q, fields);
}

QuestionTexts from_squad(const std::string& file, const std::string& where) {
  std::string all;
  for (const std::string& line : read_lines(file, where)) all += line + "\n";
  const Json json = parse_json(all, file);
  QuestionTexts out{{}, file};
  for (const Json& article : Fields(json, file).list("data"))
    for (const Json& paragraph : Fields(article, file).list("paragraphs")) {
      const Fields about(paragraph, file);
      for (const Json& one : about.list("qas")) {
        const Fields fields(one, file);
        Question q{fields.text("question"), about.text("context"), {}};
        read_answers(q, fields);
        out.questions.push_back(std::move(q));
      }
    }
  return out;
}

QuestionTexts from_lines(const std::string& file, const std::string& where) {
  QuestionTexts out{{}, file};
  int64_t number = 0;
  for (const std::string& line : read_lines(file, where)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string place_name = text_of(file, ": line ", number);
    const Json json = parse_json(line, place_name);
    const Fields fields(json, place_name);
    Question q{fields.text("question"), fields.text("context"), {}};
    read_answers(q, fields);
    out.questions.push_back(std::move(q));
  }
  return out;
}

}  // namespace

std::string characters(const std::string& text, size_t from, size_t to) {
  const size_t begin = byte_at(text, from);
  return text.substr(begin, byte_at(std::string_view(text).substr(begin), to - from));
}

QuestionTexts read_questions(const std::string& file, const std::string& where_to_get) {
  const std::string ending = plain_ending(file);
  ensure<UsageError>(ending == ".json" || ending == ".jsonl", file,
                     ": wanted a name that ends with .json or .jsonl");
  QuestionTexts out =
      ending == ".json" ? from_squad(file, where_to_get) : from_lines(file, where_to_get);
  ensure<FormatError>(!out.questions.empty(), file, ": found no question, wanted some");
  return out;
}

QuestionTexts date_questions(const std::vector<std::string>& lines) {
  constexpr struct {
    const char* asked;
    size_t from, size;  // of 2031-05-09
  } kParts[] = {{"year", 0, 4}, {"month", 5, 2}, {"day", 8, 2}};
  QuestionTexts out{{}, "dates"};
  for (const std::string& line : lines) {
    const auto& part = kParts[out.questions.size() % std::size(kParts)];
    const size_t at = line.rfind(" = ") + 3 + part.from;
    const size_t start = utf8::count(std::string_view(line).substr(0, at));
    out.questions.push_back(
        {part.asked, line, {line.substr(at, part.size)}, start, start + part.size});
  }
  return out;
}

}  // namespace jogak
