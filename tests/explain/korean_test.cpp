// Korean lessons are Korean: what stands in other letters is a name of docs/glossary.md or a
// symbol.
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "explain/exercises.h"
#include "explain/parts.h"
#include "tests/explain/lessons.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

using test::asking;

std::set<std::string> known_words() {
  const std::string page = read_file(source_path("docs/glossary.md"));
  std::set<std::string> out;
  for (size_t at = page.find("stay as they are"); (at = page.find('`', at)) != std::string::npos;) {
    const size_t end = page.find('`', at + 1);
    out.insert(page.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return out;
}

// Words of three small letters and more; parts of names as d_model and --flags count as names.
std::vector<std::string> foreign_words(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) ||
                                 text[end] == '_' || text[end] == '-'))
      ++end;
    const std::string word = text.substr(at, end - at);
    const bool letters =
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return c >= 'a' && c <= 'z'; });
    if (word.size() >= 3 && letters) out.push_back(word);
    at = std::max(end, at + 1);
  }
  return out;
}

const std::set<std::string> kJoining = {"against", "and",  "for",   "from",
                                        "the",     "then", "where", "with"};

TEST(KoreanLessons, HaveNoEnglishWords) {
  const std::set<std::string> known = known_words();
  ASSERT_GT(known.size(), 20u);
  std::set<std::string> found;
  for (const std::string& topic : explain_topics())
    for (const Level level : test::kLevels) {
      const Lesson lesson = explain(asking(topic, level, Lang::ko));
      const auto look = [&](const std::string& text) {
        for (const std::string& word : foreign_words(text))
          if (!known.count(word)) found.insert(topic + ": " + word + " in \"" + text + "\"");
      };
      look(lesson.title);
      for (const Step& step : lesson.steps) {
        look(step.title), look(step.text);
        for (const std::string& word : foreign_words(step.formula))  // names of the code stay
          if (kJoining.count(word)) found.insert(topic + ": " + word + " in " + step.formula);
        if (step.formula.find(" or ") != std::string::npos) found.insert(topic + ": or");
        for (const Table& table : step.tables) look(table.caption);
      }
      for (const Picture& picture : lesson.pictures)
        look(picture.title), look(picture.x_title), look(picture.y_title);
    }
  for (const std::string& one : found) ADD_FAILURE() << one;
}

TEST(KoreanLessons, ParticlesFitTheNumbersOfTheUser) {
  EXPECT_EQ(filled("너비 {0}{을} {1}{으로}", {"4", "8"}), "너비 4를 8로");
  EXPECT_EQ(filled("너비 {0}{을} {1}{으로}", {"6", "10"}), "너비 6을 10으로");
  EXPECT_EQ(filled("{x} {0}", {"1"}), "{x} 1");
  ExplainRequest request = asking("multihead", Level::student, Lang::ko);
  request.inputs["heads"] = {{3}};
  const std::string text = to_text(explain(request), false, 400);
  EXPECT_NE(text.find("너비 6을 헤드 3개로"), std::string::npos);
  EXPECT_NE(text.find("√6이 아니라"), std::string::npos);
}

}  // namespace
}  // namespace jogak
