// The sheet a topic writes its lesson on. Each table is given by a rule over the tables before it,
// so that numbers, sums by hand and Python code come from one line.
#pragma once

#include "explain/parts.h"
#include "explain/request.h"
#include "explain/rule.h"
#include "explain/topic.h"

namespace jogak {

// The words of one step in both languages. {0}, {1}, ... in the text are filled in.
struct StepWords {
  std::string_view name;
  Words title, text;
  std::string_view formula = {};
};

inline constexpr int64_t kLinesByHand = 4;  // what is worked by hand stays short

struct TableStyle {
  Parts rows = {}, columns = {};  // labels
  int digits = 6;
  int64_t lines = kLinesByHand;  // how many entries are worked by hand
  int64_t row = 0;               // of which row; -1: the last
};

struct PictureWords {
  Words title, x, y;
};

// A row of tenths from -1 to 1 for each word: the same for the same word, and no more than that.
Matrix word_vectors(const Parts& words, int64_t width);

class Sheet {
 public:
  Sheet(const Topic& topic, const ExplainRequest& request, Lesson& lesson)
      : topic_(topic), request_(request), lesson_(lesson) {}

  const ExplainRequest& request() const { return request_; }
  Lesson& lesson() { return lesson_; }
  Level level() const { return lesson_.level; }
  bool story() const { return level() == Level::story; }
  bool math() const { return level() == Level::math; }
  std::string in(const Words& words) const { return std::string(words(lesson_.lang)); }
  // Writes the lesson at its level: one of three functions of a sheet and the same parts.
  template <class Story, class Student, class Math, class... Given>
  void tell(Story&& as_story, Student&& for_students, Math&& as_math, const Given&... given) {
    if (story())
      as_story(*this, given...);
    else if (math())
      as_math(*this, given...);
    else
      for_students(*this, given...);
  }
  const Matrix& of(const std::string& name) const;  // numbers of an input or a table

  // The user's numbers, or the example's. Sizes are held to the shapes the topic's inputs name:
  // "dot: b: found 2 columns, wanted 3 as in a".
  const Matrix& input(const std::string& name, const Matrix& example);
  // The user's words, one a row, or the example's; numbered ones when there are more rows.
  Parts words(int64_t rows, const Parts& example) const;
  // The example's rows, or one for each of the user's words: the same for the same word.
  Matrix word_rows(const Matrix& example) const;
  double number(const std::string& name, double example);       // not a table, not in the code
  int64_t integer(const std::string& name, int64_t example);    // neither is this
  void constant(const std::string& name, const Matrix& value);  // of the lesson, not the user's

  void step(const StepWords& words, const Parts& parts = {});
  void shape(std::string text);                                    // of the step
  void product_shape(const std::string& a, const std::string& b);  // "[3,4]·[4,3] -> [3,3]"
  void work(std::string line);                                     // one more line by hand
  void show(const std::string& name, std::string caption, TableStyle style = {});  // as given
  const Matrix& table(const std::string& name, std::string caption, const std::string& rule,
                      TableStyle style = {});
  void let(const std::string& name, const std::string& rule);  // computed, not shown
  void library(const std::string& pytorch);  // PyTorch's own way; the code holds it against ours
  void read(const std::string& pytorch);     // lines of code that the step shows and that run
  void replace_code(std::string numpy, std::string pytorch);  // in place of that of the tables
  // Numbers that only a program gives. The code sets a variable called `name`.
  const Matrix& coded(const std::string& name, std::string caption, const Matrix& values,
                      const std::string& numpy, const std::string& pytorch, TableStyle style = {});

  Picture& heatmap(const std::string& name, const Matrix& values, const PictureWords& words,
                   Parts rows = {}, Parts columns = {});
  Picture& chart(Picture::Kind kind, const std::string& name, const Matrix& values,
                 const PictureWords& words, Parts series, Parts columns);
  void finish();  // puts the code together

 private:
  Rule parsed(const std::string& rule) const;
  void add_code(const std::string& numpy, const std::string& pytorch);
  void define(const std::string& name, const Matrix& value);
  void check_shape(const TopicInput& input, const Matrix& value, bool own);
  const Matrix& given(const std::string& name, const Matrix& example);
  std::string entry(const std::string& name, int64_t i, int64_t j) const;
  void add_shape(const std::string& name, const Rule& rule, const Matrix& result);
  void add_work(Step& step, const Table& table, const Rule& rule, const TableStyle& style);
  Step& current() { return lesson_.steps.back(); }

  struct Size {
    int64_t value;
    std::string_view input;
  };

  const Topic& topic_;
  const ExplainRequest& request_;
  Lesson& lesson_;
  Values values_;
  std::map<std::string, int> digits_;   // of tables; inputs and constants are exact
  std::map<std::string, Rule> hidden_;  // what let() defined, in terms of what is shown
  std::map<char, Size> sizes_;
  std::vector<std::string> unseen_;   // inputs and constants not shown yet
  Parts step_inputs_, step_results_;  // tables the current step takes, and those it computes
  bool own_shape_ = false;            // the topic gave the step's shapes
  std::string numpy_, pytorch_, comment_;
  std::string whole_numpy_, whole_pytorch_;  // in place of them
  int most_digits_ = 6;
};

}  // namespace jogak
