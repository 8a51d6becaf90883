#include "explain/studies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "explain/explain.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

TEST(LessonStudies, EachLessonsStudyIsThereAndEachStudyHasALesson) {
  const std::vector<std::string> topics = explain_topics();
  std::set<std::string> named;
  for (const LessonStudy& one : lesson_studies()) {
    EXPECT_NE(std::find(topics.begin(), topics.end(), one.topic), topics.end()) << one.topic;
    const std::string recipe = "recipes/study-" + std::string(one.study) + ".toml";
    EXPECT_TRUE(file_exists(source_path(recipe))) << recipe;
    named.insert(file_name(recipe));
  }
  for (const std::string& file : list_directory(source_path("recipes")))
    if (file.starts_with("study-")) {
      EXPECT_TRUE(named.contains(file)) << file;
    }
}

TEST(LessonStudies, TheLessonOfTheMaskNamesItsStudy) {
  for (const Lang lang : {Lang::en, Lang::ko}) {
    ExplainRequest request;
    request.topic = "masks";
    request.lang = lang;
    const Lesson lesson = explain(request);
    EXPECT_NE(to_text(lesson, false, 100).find("jogak study recipes/study-mask.toml"),
              std::string::npos);
    EXPECT_EQ(to_json(lesson).find("studies")->items().at(0).text(), "recipes/study-mask.toml");
  }
}

TEST(LessonStudies, ALessonIsFoundByTheNameOfOne) {
  ExplainRequest request;
  request.topic = "mask";
  EXPECT_EQ(explain(request).topic, "masks");
}

TEST(LessonStudies, TheCurriculumsTableNamesThemBesideTheirLessons) {
  const std::string page = read_file(source_path("docs/curriculum.md"));
  for (const LessonStudy& one : lesson_studies()) {
    const std::string lesson = "jogak explain " + std::string(one.topic),
                      study = "recipes/study-" + std::string(one.study) + ".toml";
    bool found = false;
    for (size_t at = 0; at < page.size();) {
      const size_t end = std::min(page.find('\n', at), page.size());
      const std::string line = page.substr(at, end - at);
      found |= line.find(lesson) != std::string::npos && line.find(study) != std::string::npos;
      at = end + 1;
    }
    EXPECT_TRUE(found) << lesson << ": " << study;
  }
}

}  // namespace
}  // namespace jogak
