#include "explain/exercises.h"

#include <cmath>

#include "base/random.h"
#include "draw/numbers.h"
#include "explain/exercise_plans.h"
#include "explain/parts.h"
#include "explain/python.h"
#include "explain/rule.h"

namespace jogak {
namespace {

constexpr int kDigits = 6;  // of what a solution computes on the way

Matrix drawn(const DrawnMatrix& plan, Rng& rng) {
  Matrix out(plan.rows, plan.columns);
  const auto steps = static_cast<uint64_t>(std::llround((plan.high - plan.low) / plan.grain)) + 1;
  for (double& x : out.values) {
    const double raw = plan.low + plan.grain * static_cast<double>(rng.below(steps));
    x = std::round(raw * 1000) / 1000;  // 0.3, not 0.30000000000000004
  }
  return out;
}

std::string written(const Matrix& m) {
  if (m.size() == 1) return exact_text(m.at(0, 0));
  return m.rows == 1 ? python_vector(m) : python_matrix(m);
}

// A line of a solution: the rule, what it gives, and its first entry by hand.
std::string worked(const PlanLine& line, const Rule& rule, const Values& values,
                   const std::map<std::string, bool>& given, const Matrix& result) {
  const EntryText number = [&](const std::string& name, int64_t i, int64_t j) {
    const double x = values.at(name).at(i, j);
    const std::string text = given.count(name) ? exact_text(x) : plain_text(x, kDigits);
    return text.starts_with('-') ? "(" + text + ")" : text;
  };
  Parts numbers;
  for (const double x : result.values) numbers.push_back(plain_text(x, kDigits));
  std::string out = text_of(line.name, " = ", line.rule, " = ", joined(numbers, ", "));
  const auto hand = entry_text(rule, 0, 0, values, number);
  if (hand && *hand != numbers[0]) out += text_of("   (", *hand, " = ", numbers[0], ")");
  return out;
}

}  // namespace

const std::vector<ChapterPlan>& chapter_plans() {
  static const std::vector<ChapterPlan> all = [] {
    std::vector<ChapterPlan> out = first_chapters();
    for (ChapterPlan& chapter : last_chapters()) out.push_back(std::move(chapter));
    return out;
  }();
  return all;
}

std::string chapter_title(int chapter, Lang lang) {
  ensure<UsageError>(chapter >= 1 && chapter <= kChapters, "exercises: found chapter ", chapter,
                     ", wanted 1 to ", kChapters);
  return std::string(chapter_plans()[static_cast<size_t>(chapter - 1)].title(lang));
}

Exercise make_exercise(int chapter, int number, uint64_t seed, Lang lang) {
  const bool known =
      chapter >= 1 && chapter <= kChapters && number >= 1 && number <= kExercisesInChapter;
  ensure<UsageError>(known, "exercises: found exercise ", chapter, ".", number, ", wanted 1.1 to ",
                     kChapters, ".", kExercisesInChapter);
  const ExercisePlan& plan =
      chapter_plans()[static_cast<size_t>(chapter - 1)].exercises[static_cast<size_t>(number - 1)];
  Exercise out;
  out.id = text_of(chapter, ".", number);
  out.topic = plan.topic;
  out.title = plan.title(lang);
  out.question = plan.question(lang);
  out.digits = plan.digits;
  Rng rng(seed, static_cast<uint64_t>(chapter * 100 + number));
  Values values;
  std::map<std::string, bool> given;
  for (const DrawnMatrix& matrix : plan.given) {
    values[matrix.name] = drawn(matrix, rng);
    given[matrix.name] = true;
    out.given.push_back(text_of(matrix.name, " = ", written(values[matrix.name])));
  }
  for (const PlanLine& line : plan.lines) {
    const Rule rule = parse_rule(line.rule);
    const Matrix result = evaluate(rule, values);
    out.solution.push_back(worked(line, rule, values, given, result));
    values[line.name] = out.answer = result;
  }
  return out;
}

std::string exercise_sheet(int chapter, uint64_t seed, Lang lang) {
  const bool ko = lang == Lang::ko;
  std::string out = text_of("# jogak exercises seed=", seed, "\n");
  out += ko ? "# \"답:\" 뒤에 수를 적고(여럿이면 쉼표로), jogak explain --check 파일 로 "
              "채점하십시오.\n"
            : "# Write numbers after \"answer:\" (several with commas), then run jogak explain "
              "--check "
              "FILE.\n";
  for (int c = chapter ? chapter : 1; c <= (chapter ? chapter : kChapters); ++c) {
    out += text_of("\n## ", c, ". ", chapter_title(c, lang), "\n");
    for (int n = 1; n <= kExercisesInChapter; ++n) {
      const Exercise e = make_exercise(c, n, seed, lang);
      out +=
          text_of("\n", e.id, " ", e.title, "  (jogak explain ", e.topic, ")\n", e.question, "\n");
      for (const std::string& line : e.given) out += "  " + line + "\n";
      out += ko ? "답:\n" : "answer:\n";
    }
  }
  return out;
}

}  // namespace jogak
