#include "app/show/explain.h"

#include <algorithm>
#include <charconv>

#include "app/models/outline.h"
#include "app/show/head_view.h"
#include "base/file.h"
#include "base/terminal.h"
#include "explain/exercises.h"
#include "explain/explain.h"

namespace jogak {
namespace {

const char* value_name(TopicInput::Kind kind) {
  switch (kind) {
    case TopicInput::Kind::matrix:
    case TopicInput::Kind::mask:
    case TopicInput::Kind::shares: return "MATRIX";
    case TopicInput::Kind::indices:
    case TopicInput::Kind::vector: return "VECTOR";
    case TopicInput::Kind::integer:
    case TopicInput::Kind::divisor:
    case TopicInput::Kind::even: return "N";
    default: return "X";
  }
}

std::map<std::string, Matrix> matrices(const std::map<std::string, std::string>& inputs) {
  std::map<std::string, Matrix> out;
  for (const auto& [name, text] : inputs) {
    const bool file = text.starts_with('@');
    out[name] = parse_matrix(file ? read_file(text.substr(1)) : text, "--" + name);
  }
  return out;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

ExplainRequest request_of(const ExplainCommand& c) {
  ExplainRequest out{.topic = c.topic,
                     .level = parse_level(c.level),
                     .lang = c.lang,
                     .inputs = matrices(c.inputs),
                     .causal = c.causal,
                     .transpose = c.transpose};
  if (c.model.empty() || c.topic != "qkv") out.words = words_of(c.text);
  if (c.model.empty()) return out;
  if (c.topic == "qkv")
    out.head = std::make_shared<const HeadView>(head_view(
        {.directory = c.model, .input = {.text = c.text}, .layer = c.layer, .head = c.head}));
  else
    out.outline = std::make_shared<const ModelOutline>(model_outline(c.model));
  return out;
}

}  // namespace

std::string run_explain(const ExplainCommand& c) {
  const Lesson lesson = explain(request_of(c));
  if (!c.svg.empty()) write_file(c.svg, to_svg(lesson));
  if (c.form == "json") return to_json(lesson).dump() + "\n";
  if (c.form == "svg") return to_svg(lesson);
  if (c.form != "text") return to_code(lesson, c.form);
  return c.all ? to_text(lesson, c.colour, c.columns) : to_short_text(lesson, c.colour, c.columns);
}

std::vector<ExplainSection> explain_topic_list(Lang lang) {
  std::vector<ExplainSection> out;
  for (const TopicSection& section : explain_sections()) {
    if (section.topics.empty()) continue;
    out.push_back({std::string(section.title(lang)), {}});
    for (const std::string& topic : section.topics)
      out.back().topics.push_back({topic, topic_title(topic, lang)});
  }
  return out;
}

std::vector<ExplainInput> explain_input_list() {
  std::vector<ExplainInput> out;
  for (const std::string& topic : explain_topics()) {
    for (const TopicInput& input : topic_inputs(topic)) {
      const auto same = [&](const ExplainInput& other) { return other.name == input.name; };
      const auto found = std::find_if(out.begin(), out.end(), same);
      const std::string ko = topic + ": " + std::string(input.meaning(Lang::ko));
      const std::string en = topic + ": " + std::string(input.meaning(Lang::en));
      if (found == out.end()) {
        out.push_back({std::string(input.name), value_name(input.kind), ko, en});
        continue;
      }
      found->ko += "; " + ko;
      found->en += "; " + en;
    }
  }
  return out;
}

std::string run_exercises(const std::string& chapter, const std::string& seed_text, Lang lang) {
  uint64_t seed = 0;
  const char* last = seed_text.data() + seed_text.size();
  const auto [end, error] = std::from_chars(seed_text.data(), last, seed);
  ensure<UsageError>(error == std::errc() && end == last, "--seed: found ", quoted(seed_text),
                     ", wanted a whole number from 0");
  if (chapter == "all") return exercise_sheet(0, seed, lang);
  const bool digit = chapter.size() == 1 && chapter[0] >= '1' && chapter[0] < '1' + kChapters;
  ensure<UsageError>(digit, "--exercises: found ", quoted(chapter), ", wanted 1 to ", kChapters,
                     " or all");
  return exercise_sheet(chapter[0] - '0', seed, lang);
}

CheckedExercises check_exercises(const std::string& file, Lang lang, bool json) {
  const std::vector<Mark> marks = mark_sheet(read_file(file), file, lang);
  return {json ? marks_json(marks).dump() + "\n" : marks_text(marks, lang), all_right(marks)};
}

}  // namespace jogak
