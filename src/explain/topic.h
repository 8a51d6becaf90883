// What a topic's file provides, and the tools to write one.
#pragma once

#include <initializer_list>
#include <span>

#include "draw/numbers.h"
#include "explain/explain.h"

namespace jogak {

class Sheet;

struct Topic {
  std::string_view name;
  Words title;
  std::span<const TopicInput> inputs = {};
  bool takes_causal = false, takes_transpose = false;
  // One of the two: a topic that puts its lesson together itself, or one that writes a sheet.
  void (*build)(const ExplainRequest& request, Lesson& lesson) = nullptr;
  void (*write)(Sheet& sheet) = nullptr;
  bool takes_words = false, takes_outline = false, takes_head = false;
};

struct Section {
  Words title;
  std::vector<const Topic*> topics;
};
const std::vector<Section>& topic_sections();  // topics.cpp lists every topic

// The words of one step in both languages. {0}, {1}, ... in the text are filled in.
struct StepWords {
  std::string_view name;
  Words title, text;
  std::string_view formula = {};
};

// The same lines of Python twice; an empty `pytorch` means the same as `numpy`. #0#, #1#, ... are
// filled in (braces mean something in Python).
struct CodeBlock {
  Words comment;
  std::string_view numpy, pytorch = {};
};

using Parts = std::vector<std::string>;

std::string filled(std::string_view pattern, const Parts& parts);

// Appends a step; the reference holds until the next call.
Step& add_step(Lesson& lesson, const StepWords& words, const Parts& parts = {});

// Sets lesson.numpy and lesson.pytorch: the heading, then every block.
void set_code(Lesson& lesson, std::span<const CodeBlock> blocks, const Parts& parts,
              int digits = 6);
std::string joined(const Parts& parts, std::string_view between);
std::string code_heading(std::string_view library, int digits);  // imports and show()
std::string python_matrix(const Matrix& m);                      // "[[1, 0], [0.5, 1]]"
std::string python_vector(const Matrix& m);                      // of one row: "[1, 0.5]"

Parts labels(std::string_view letter, int64_t count, int64_t first = 1);  // q1, q2, q3

// What is worked by hand stays short: this many entries of a row, this many lines.
inline constexpr int64_t kTermsByHand = 8, kLinesByHand = 4;

// A number in a sum worked by hand: one the user gave is repeated exactly, a computed one is
// rounded as in its table; negative ones in parentheses.
enum class Source : uint8_t { given, computed };
std::string term(double value, Source source);

// "1·4 + 2·5 + 3·6", or "1 + 2 + 3" for the sum of one row.
std::string products_text(std::span<const double> a, Source a_source, std::span<const double> b,
                          Source b_source);
std::string sum_text(std::span<const double> a, Source source);

Table row_table(std::string name, std::string caption, Matrix values, Parts columns);
Table number_table(std::string name, std::string caption, double value);

// The user's input or, when none was given, the example's; also noted in lesson.inputs.
const Matrix& input_or(const ExplainRequest& request, Lesson& lesson, const std::string& name,
                       const Matrix& example);
int64_t integer_or(const ExplainRequest& request, Lesson& lesson, const std::string& name,
                   int64_t example);

}  // namespace jogak
