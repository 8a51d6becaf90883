#include "app/page/lessons.h"

#include <algorithm>

#include "base/error.h"
#include "explain/exercises.h"
#include "explain/explain.h"
#include "explain/topic.h"

namespace jogak {
namespace {

const char* kind_name(TopicInput::Kind kind) {
  constexpr const char* kNames[] = {"vector",  "matrix", "integer", "even",  "divisor",
                                    "indices", "number", "mask",    "shares"};
  return kNames[static_cast<size_t>(kind)];
}

Json topic_json(const Topic& topic, Lang lang) {
  Json inputs = Json::array();
  for (const TopicInput& input : topic.inputs) {
    Json one = Json::object();
    one.set("name", input.name).set("kind", kind_name(input.kind));
    inputs.push(std::move(one.set("meaning", input.meaning(lang)).set("shape", input.shape)));
  }
  Json out = Json::object();
  out.set("name", topic.name).set("title", topic.title(lang)).set("inputs", std::move(inputs));
  out.set("causal", topic.takes_causal).set("transpose", topic.takes_transpose);
  out.set("words", topic.takes_words || topic.takes_head);
  return std::move(out.set("model", topic.takes_outline || topic.takes_head));
}

}  // namespace

Json lesson_list(Lang lang) {
  Json sections = Json::array(), chapters = Json::array();
  for (const Section& section : topic_sections()) {
    if (section.topics.empty()) continue;
    Json topics = Json::array();
    for (const Topic* topic : section.topics) topics.push(topic_json(*topic, lang));
    Json one = Json::object();
    sections.push(std::move(one.set("title", section.title(lang)).set("topics", topics)));
  }
  for (int i = 1; i <= kChapters; ++i) chapters.push(chapter_title(i, lang));
  Json out = Json::object();
  return std::move(out.set("sections", std::move(sections)).set("chapters", std::move(chapters)));
}

bool is_lesson(const std::string& topic) {
  const std::vector<std::string> all = explain_topics();
  return std::find(all.begin(), all.end(), topic) != all.end();
}

Json exercise_list(int chapter, uint64_t seed, Lang lang) {
  Json list = Json::array();
  for (int number = 1; number <= kExercisesInChapter; ++number) {
    const Exercise e = make_exercise(chapter, number, seed, lang);
    Json one = Json::object();
    one.set("id", e.id).set("topic", e.topic).set("title", e.title).set("question", e.question);
    list.push(std::move(one.set("given", Json::list(e.given)).set("digits", e.digits)));
  }
  Json out = Json::object();
  out.set("chapter", chapter).set("title", chapter_title(chapter, lang));
  return std::move(out.set("seed", static_cast<int64_t>(seed)).set("exercises", std::move(list)));
}

Json marked_answer(const std::string& id, uint64_t seed, const std::string& written, Lang lang) {
  ensure<UsageError>(written.size() <= 4096 && written.find('\n') == std::string::npos,
                     "answer: wanted numbers on one line");
  const bool plain = id.size() == 3 && id[0] >= '1' && id[0] <= '9' && id[1] == '.' &&
                     id[2] >= '1' && id[2] <= '9';
  ensure<UsageError>(plain, "id: wanted an exercise such as 3.2");
  // As a sheet with one answer in it.
  const std::string sheet =
      text_of("# jogak exercises seed=", seed, "\n", id, " \nanswer: ", written, "\n");
  return to_json(mark_sheet(sheet, "the answer", lang).at(0));
}

}  // namespace jogak
