#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/terminal.h"
#include "base/utf8.h"
#include "draw/svg.h"
#include "tests/explain/lessons.h"

namespace jogak {
namespace {

using test::asking;

const std::vector<Lesson>& every_lesson() {
  static const std::vector<Lesson> all = [] {
    std::vector<Lesson> out;
    for (const std::string& topic : explain_topics())
      for (const Level level : test::kLevels)
        for (const Lang lang : test::kLangs) out.push_back(explain(asking(topic, level, lang)));
    return out;
  }();
  return all;
}

bool has_hangul(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const utf8::Decoded next = utf8::decode(text, at);
    if (next.size == 0) return false;
    if (next.code >= 0xAC00 && next.code <= 0xD7A3) return true;
    at += static_cast<size_t>(next.size);
  }
  return false;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TEST(Words, EachLanguageIsWholeAndItsOwn) {
  for (const Lesson& lesson : every_lesson()) {
    const std::string text = to_text(lesson, false) + lesson.numpy + lesson.pytorch;
    EXPECT_EQ(utf8::first_invalid(text), std::string::npos);
    if (lesson.lang == Lang::en) {
      EXPECT_FALSE(has_hangul(text)) << lesson.topic;
    }
    EXPECT_FALSE(lesson.steps.empty());
    for (const Step& step : lesson.steps) {
      EXPECT_FALSE(step.title.empty() || step.text.empty()) << step.name;
      if (lesson.lang == Lang::ko) {
        EXPECT_TRUE(has_hangul(step.title)) << step.title;
        EXPECT_TRUE(has_hangul(step.text)) << step.name;
      }
      if (lesson.level != Level::story) continue;
      EXPECT_TRUE(step.formula.empty()) << "a story has no formulas: " << step.name;
      EXPECT_TRUE(step.work.empty()) << "a story has no sums by hand: " << step.name;
    }
    for (const char* left : {"{0}", "{1}", "#0#", "#1#", "#2#", "#3#", "#4#", "#5#", "#6#"})
      EXPECT_EQ(text.find(left), std::string::npos) << lesson.topic << " " << left;
  }
}

TEST(Words, StepAndTableNamesAreStableAndUnique) {
  for (const Lesson& lesson : every_lesson()) {
    std::set<std::string> steps, tables;
    for (const Step& step : lesson.steps) {
      EXPECT_TRUE(steps.insert(step.name).second) << lesson.topic << " " << step.name;
      for (const Table& table : step.tables) {
        EXPECT_TRUE(tables.insert(table.name).second) << lesson.topic << " " << table.name;
        for (const char c : table.name)
          EXPECT_TRUE((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_') << table.name;
        EXPECT_TRUE(table.rows.empty() ||
                    table.rows.size() == static_cast<size_t>(table.values.rows));
        EXPECT_TRUE(table.columns.empty() ||
                    table.columns.size() == static_cast<size_t>(table.values.columns));
      }
    }
  }
}

TEST(Text, FitsThePage) {
  for (const Lesson& lesson : every_lesson())
    for (const int columns : {60, 80, 120})
      for (const std::string& line : lines_of(to_text(lesson, false, columns)))
        EXPECT_LE(display_width(line), static_cast<size_t>(columns)) << line;
}

TEST(Text, WideTablesAreCutIntoBlocks) {
  ExplainRequest request = asking("softmax", Level::student, Lang::ko);
  request.inputs["x"] = Matrix(1, 100, 0.5);
  const std::string text = to_text(explain(request), false, 80);
  EXPECT_NE(text.find("열 1-"), std::string::npos);
  EXPECT_NE(text.find("-100\n"), std::string::npos);
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 80u) << line;
}

TEST(Text, StoriesFitTwoScreensAndNoLessonIsEndless) {
  for (const Lesson& lesson : every_lesson()) {
    const std::vector<std::string> lines = lines_of(to_short_text(lesson, false, 80));
    const size_t most = lesson.level == Level::story ? kStoryLines : kLessonLines;
    EXPECT_LE(lines.size(), most) << lesson.topic << " " << level_name(lesson.level);
    for (const Step& step : lesson.steps)
      EXPECT_TRUE(lesson.level != Level::story || step.work.empty())
          << lesson.topic << " " << step.name << ": sums in a story";
    const bool whole = to_short_text(lesson, false) == to_text(lesson, false);
    EXPECT_NE(whole, lines.back().find("--all") != std::string::npos) << lines.back();
    for (const Step& step : lesson.steps)  // no step is left out, whatever else is
      EXPECT_NE(to_short_text(lesson, false).find(step.title), std::string::npos) << step.name;
  }
}

TEST(Text, LargeNumbersOfRowsAndColumnsAreCutAndCounted) {
  ExplainRequest request = asking("attention");
  const Matrix large(64, 200, 0.5);
  request.inputs = {{"q", large}, {"k", large}, {"v", large}};
  for (const Level level : test::kLevels)
    for (const Lang lang : test::kLangs)
      for (const int columns : {40, 80}) {
        request.level = level;
        request.lang = lang;
        const Lesson lesson = explain(request);
        const std::vector<std::string> lines = lines_of(to_short_text(lesson, false, columns));
        EXPECT_LE(lines.size(), level == Level::story ? kStoryLines : kLessonLines);
        EXPECT_NE(lines.back().find("--all"), std::string::npos) << lines.back();
        EXPECT_GT(lines_of(to_text(lesson, false, columns)).size(), lines.size());
      }
  request.lang = Lang::en;
  request.level = Level::student;
  request.inputs = {{"q", Matrix(64, 2, 0.5)}, {"k", Matrix(64, 2, 0.5)}, {"v", Matrix(64, 2, 1)}};
  const Lesson lesson = explain(request);
  const std::string text = to_short_text(lesson, false, 400);
  EXPECT_NE(text.find("   Q  [64,2]\n     q1   0.5  0.5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("rows"), std::string::npos);
}

TEST(Text, RowsOfATableEndInTheSameColumn) {
  const Lesson lesson = explain(asking("positions", Level::student, Lang::ko));
  const std::vector<std::string> lines = lines_of(to_text(lesson, false));
  size_t checked = 0;
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i].find("파장") == std::string::npos ||
        lines[i].find("나누는 수") == std::string::npos)
      continue;
    for (size_t row = 1; row <= 7; ++row, ++checked)
      EXPECT_EQ(display_width(lines[i + row]), display_width(lines[i])) << lines[i + row];
  }
  EXPECT_EQ(checked, 7u);
}

TEST(Text, NumbersStandUnderEachOther) {
  ExplainRequest request = asking("attention");
  request.inputs = {{"q", {{1, -20.5}, {300, 4}}}, {"k", {{1, 0}}}, {"v", {{7}}}};
  const std::string text = to_text(explain(request), false);
  EXPECT_NE(text.find("   Q  [2,2]\n"
                      "     q1    1.0  -20.5\n"
                      "     q2  300.0    4.0\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("   Q·Kᵀ  [2,1]\n"
                      "          k1\n"
                      "     q1    1\n"
                      "     q2  300\n"),
            std::string::npos)
      << text;
}

TEST(Text, ColourOnlyWhenAsked) {
  for (const Lesson& lesson : every_lesson()) {
    EXPECT_EQ(to_text(lesson, false).find('\x1b'), std::string::npos);
    EXPECT_NE(to_text(lesson, true).find('\x1b'), std::string::npos);
  }
}

TEST(JsonOutput, HasItsKeysAndReadsBack) {
  ExplainRequest request = asking("attention", Level::student, Lang::ko);
  request.causal = true;
  const Lesson lesson = explain(request);
  const Json json = parse_json(to_json(lesson).dump(), "lesson");
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.members()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema", "topic", "title", "level", "lang", "causal",
                                            "inputs", "steps", "pictures", "code", "studies"}));
  EXPECT_EQ(json.find("schema")->integer(), 1);
  EXPECT_EQ(json.find("topic")->text(), "attention");
  EXPECT_EQ(json.find("level")->text(), "student");
  EXPECT_EQ(json.find("lang")->text(), "ko");
  EXPECT_TRUE(json.find("causal")->boolean());
  EXPECT_EQ(json.find("inputs")->find("q")->dump(),
            "[[1.0,0.0,1.0,0.0],[0.0,1.0,0.0,1.0],[1.0,1.0,0.0,0.0]]");
  ASSERT_EQ(json.find("steps")->items().size(), lesson.steps.size());
  for (size_t s = 0; s < lesson.steps.size(); ++s) {
    const Json& step = json.find("steps")->items()[s];
    for (const char* key : {"name", "title", "text", "formula", "shape", "work", "tables"})
      EXPECT_NE(step.find(key), nullptr) << key;
    for (size_t t = 0; t < lesson.steps[s].tables.size(); ++t) {
      const Json& table = step.find("tables")->items()[t];
      const Matrix& values = lesson.steps[s].tables[t].values;
      for (int64_t i = 0; i < values.rows; ++i)
        for (int64_t j = 0; j < values.columns; ++j) {
          const Json& entry = table.find("values")->items()[size_t(i)].items()[size_t(j)];
          if (std::isinf(values.at(i, j)))
            EXPECT_TRUE(entry.is_null());  // hidden
          else
            EXPECT_EQ(entry.number(), values.at(i, j));
        }
    }
  }
}

// Tags closed in order, attributes quoted, no bare '&' or '<'.
std::string xml_fault(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&') {
      const std::string entity = xml.substr(at, xml.find(';', at) - at + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;")
        return "entity " + entity;
    }
    if (xml[at] != '<') continue;
    const size_t end = xml.find('>', at);
    if (end == std::string::npos) return "tag without end";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return "tag in a tag: " + tag;
    if (std::count(tag.begin(), tag.end(), '"') % 2) return "quotes: " + tag;
    const std::string name = tag.substr(tag[0] == '/', tag.find_first_of(" \n") - (tag[0] == '/'));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != name) return "closes " + name;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty() ? "" : "left open: " + open.back();
}

TEST(SvgOutput, EscapesWords) {
  EXPECT_EQ(xml_escaped("a<b & \"c\" > d"), "a&lt;b &amp; &quot;c&quot; &gt; d");
  EXPECT_EQ(xml_escaped("층\x01\xff"), "층\uFFFD");
  EXPECT_EQ(svg_number(-0.04), "0");
  EXPECT_EQ(svg_number(12.345), "12.3");
}

TEST(SvgOutput, IsWellFormedAndNamesItsAxes) {
  for (const Lesson& lesson : every_lesson()) {
    const std::string svg = to_svg(lesson);
    EXPECT_EQ(xml_fault(svg), "") << lesson.topic;
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    ASSERT_FALSE(lesson.pictures.empty());
    for (const Picture& picture : lesson.pictures) {
      if (picture.kind == Picture::Kind::diagram) continue;  // has no axes
      for (const std::string& words : {picture.title, picture.x_title, picture.y_title})
        EXPECT_NE(svg.find(">" + xml_escaped(words) + "</text>"), std::string::npos) << words;
    }
  }
}

TEST(SvgOutput, ManyAndExtremeNumbersStayReadable) {
  std::vector<ExplainRequest> requests;
  for (const char* topic : {"softmax", "layernorm"})
    for (const Matrix& x : {Matrix(1, 1, 5), Matrix(1, 256, -1e6), Matrix{{1e6, -1e6, 0}},
                            Matrix{{1e-9, 2e-9}}, Matrix(1, 3)}) {
      requests.push_back(asking(topic));
      requests.back().inputs["x"] = x;
    }
  requests.push_back(asking("positions"));
  requests.back().inputs = {{"d", {{512}}}, {"length", {{256}}}};
  for (const ExplainRequest& request : requests) {
    const std::string svg = to_svg(explain(request));
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_LT(svg.size(), 6u << 20);
    for (const Level level : test::kLevels) {
      ExplainRequest other = request;
      other.level = level;
      EXPECT_FALSE(to_text(explain(other), true, 40).empty());
    }
  }
}

TEST(SvgOutput, DivergingColoursMeetInWhite) {
  const Rgb low = heat_colour(0, true), middle = heat_colour(0.5, true),
            high = heat_colour(1, true);
  EXPECT_GT(low.blue, low.red);
  EXPECT_GT(high.red, high.blue);
  EXPECT_EQ(svg_colour(middle), "#f7f7f7");
  EXPECT_TRUE(is_dark(low) && is_dark(high) && !is_dark(middle));
}

}  // namespace
}  // namespace jogak
