#include "explain/explain.h"

#include <cmath>

#include "base/suggest.h"
#include "base/terminal.h"
#include "explain/sheet.h"
#include "explain/studies.h"

namespace jogak {
namespace {

std::vector<const Topic*> topics() {
  std::vector<const Topic*> out;
  for (const Section& section : topic_sections())
    out.insert(out.end(), section.topics.begin(), section.topics.end());
  return out;
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

const Topic& find_topic(std::string_view name) {
  for (const Topic* topic : topics())
    if (topic->name == name || topic->name == std::string(name) + "s")
      return *topic;  // mask: masks
  const std::vector<std::string> known = explain_topics();
  fail<UsageError>("explain: found topic ", quoted(name), ", wanted one of ", listed(known),
                   did_you_mean(name, known));
}

const TopicInput& find_input(const Topic& topic, const std::string& name) {
  std::vector<std::string> known;
  for (const TopicInput& input : topic.inputs) {
    if (input.name == name) return input;
    known.emplace_back(input.name);
  }
  fail<UsageError>(topic.name, ": found input ", quoted(name), ", wanted one of ", listed(known),
                   did_you_mean(name, known));
}

void check_shares(const std::string& place, const Matrix& value) {
  constexpr double kSlack = 1e-3;  // shares as people write them
  for (int64_t i = 0; i < value.rows; ++i) {
    double total = 0;
    for (const double x : value.row(i)) {
      ensure<UsageError>(x >= 0, place, ": found ", x, ", wanted a share from 0 to 1");
      total += x;
    }
    ensure<UsageError>(std::abs(total - 1) <= kSlack, place, ": row ", i + 1, ": found a sum of ",
                       total, ", wanted 1");
  }
}

void check_input(const std::string& place, const Matrix& value, const TopicInput& input) {
  using Kind = TopicInput::Kind;
  const Kind kind = input.kind;
  check_matrix(value, place);
  for (const double x : value.values)
    ensure<UsageError>(x >= input.low && x <= input.high, place, ": found ", x, ", wanted ",
                       input.low, " to ", input.high);
  if (kind == Kind::mask)
    for (const double x : value.values)
      ensure<UsageError>(x == 0 || x == 1, place, ": found ", x, ", wanted 0 or 1");
  if (kind == Kind::shares) check_shares(place, value);
  if (kind == Kind::matrix || kind == Kind::mask || kind == Kind::shares) return;
  ensure<UsageError>(value.rows == 1, place, ": found ", value.rows, " rows, wanted one");
  if (kind == Kind::indices)
    for (const double x : value.values)
      ensure<UsageError>(x == std::floor(x), place, ": found ", x, ", wanted whole numbers");
  if (kind == Kind::vector || kind == Kind::indices) return;
  ensure<UsageError>(value.columns == 1, place, ": found ", value.columns, " numbers, wanted one");
  const double x = value.at(0, 0);
  ensure<UsageError>(kind == Kind::number || x == std::floor(x), place, ": found ", x,
                     ", wanted a whole number");
  ensure<UsageError>(kind != Kind::even || std::fmod(x, 2) == 0, place, ": found ", x,
                     ", wanted an even number from ", input.low, " to ", input.high);
}

}  // namespace

std::vector<std::string> explain_topics() {
  std::vector<std::string> out;
  for (const Topic* topic : topics()) out.emplace_back(topic->name);
  return out;
}

std::vector<TopicSection> explain_sections() {
  std::vector<TopicSection> out;
  for (const Section& section : topic_sections()) {
    out.push_back({section.title, {}});
    for (const Topic* topic : section.topics) out.back().topics.emplace_back(topic->name);
  }
  return out;
}

std::string topic_title(std::string_view topic, Lang lang) {
  return std::string(find_topic(topic).title(lang));
}

std::vector<TopicInput> topic_inputs(std::string_view topic) {
  const Topic& found = find_topic(topic);
  return {found.inputs.begin(), found.inputs.end()};
}

static constexpr const char* kLevels[] = {"story", "student", "math"};  // as in Level

Level parse_level(std::string_view name) {
  for (const Level level : {Level::story, Level::student, Level::math})
    if (level_name(level) == name) return level;
  fail<UsageError>("level: found ", quoted(name), ", wanted story, student or math",
                   did_you_mean(name, {"story", "student", "math"}));
}

const char* level_name(Level level) { return kLevels[static_cast<size_t>(level)]; }

Lesson explain(const ExplainRequest& request) {
  const Topic& topic = find_topic(request.topic);
  for (const auto& [name, value] : request.inputs)
    check_input(text_of(topic.name, ": ", name), value, find_input(topic, name));
  ensure<UsageError>(topic.takes_causal || !request.causal, topic.name,
                     ": found a causal mask, which only attention takes");
  ensure<UsageError>(topic.takes_transpose || !request.transpose, topic.name,
                     ": found transpose, which only heat maps take");
  ensure<UsageError>(topic.takes_words || request.words.empty(), topic.name,
                     ": found a text, which this topic does not take");
  ensure<UsageError>(topic.takes_head || !request.head, topic.name,
                     ": found a head of a model, which this topic does not take");
  ensure<UsageError>(topic.takes_outline || !request.outline, topic.name,
                     ": found a model, which this topic does not take");
  Lesson lesson;
  lesson.topic = topic.name;
  lesson.title = topic.title(request.lang);
  lesson.level = request.level;
  lesson.lang = request.lang;
  lesson.causal = request.causal;
  lesson.studies = studies_of(topic.name);
  Sheet sheet(topic, request, lesson);
  topic.write(sheet);
  sheet.finish();
  return lesson;
}

std::string to_code(const Lesson& lesson, std::string_view library) {
  if (library == "numpy") return lesson.numpy;
  if (library == "pytorch") return lesson.pytorch;
  fail<UsageError>("code: found ", quoted(library), ", wanted numpy or pytorch",
                   did_you_mean(library, {"numpy", "pytorch"}));
}

}  // namespace jogak
