#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "base/error.h"
#include "draw/numbers.h"
#include "explain/exercises.h"
#include "explain/parts.h"
#include "explain/written_numbers.h"

namespace jogak {
namespace {

constexpr size_t kLargestSheet = 1 << 20;
constexpr std::string_view kHead = "# jogak exercises seed=";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

struct Place {
  std::string file;
  size_t byte;
};

template <class... Parts>
[[noreturn]] void refuse(const Place& place, const Parts&... parts) {
  fail<FormatError>(place.file, ": byte ", place.byte, ": ", parts...);
}

uint64_t seed_of(std::string_view line, const Place& place) {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  uint64_t seed = 0;
  const std::string_view rest =
      line.starts_with(kHead) ? trimmed(line.substr(kHead.size())) : std::string_view();
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), seed);
  if (rest.empty() || error != std::errc() || end != rest.data() + rest.size())
    refuse(place, "found another first line, wanted \"", kHead, "N\" as jogak explain --exercises ",
           "writes it");
  return seed;
}

// "3.2 Title": the number that opens a question; 0.0 for other lines.
std::pair<int, int> opening(std::string_view line, const Place& place) {
  size_t at = 0;
  while (at < line.size() && (is_digit(line[at]) || line[at] == '.')) ++at;
  const std::string_view id = line.substr(0, at);
  const bool opens = id.find('.') != std::string_view::npos && is_digit(id.front()) &&
                     is_digit(id.back()) && (at == line.size() || line[at] == ' ');
  if (!opens) return {0, 0};
  const bool known = id.size() == 3 && id[1] == '.' && id[0] >= '1' && id[0] < '1' + kChapters &&
                     id[2] >= '1' && id[2] < '1' + kExercisesInChapter;
  if (!known)
    refuse(place, "found exercise ", id, ", wanted 1.1 to ", kChapters, ".", kExercisesInChapter);
  return {id[0] - '0', id[2] - '0'};
}

// Of "answer:" or "답:", with the colon of either width.
size_t label_size(std::string_view line) {
  for (const std::string_view label : {"answer:", "answer：", "답:", "답："})
    if (line.starts_with(label)) return label.size();
  return 0;
}

Mark marked_answer(Exercise exercise, std::string_view written) {
  Mark out{std::move(exercise), std::string(written), Mark::Kind::empty};
  if (written.empty()) return out;
  bool right = false;
  for (const std::vector<double>& values : readings_of(written))
    right = right || answers_match(values, out.exercise);
  out.kind = right ? Mark::Kind::right : Mark::Kind::wrong;
  return out;
}

std::string answer_text(const Exercise& e) {
  Parts parts;
  for (const double x : e.answer.values) parts.push_back(plain_text(x, e.digits));
  return joined(parts, ", ");
}

size_t counted(const std::vector<Mark>& marks, Mark::Kind kind) {
  size_t out = 0;
  for (const Mark& mark : marks) out += mark.kind == kind;
  return out;
}

}  // namespace

bool answers_match(const std::vector<double>& written, const Exercise& exercise) {
  if (written.size() != exercise.answer.values.size()) return false;
  const double unit = std::pow(10.0, -exercise.digits) * (1 + 1e-9);
  for (size_t i = 0; i < written.size(); ++i)
    if (std::abs(written[i] - exercise.answer.values[i]) > unit) return false;
  return true;
}

std::vector<Mark> mark_sheet(const std::string& text, const std::string& place, Lang lang) {
  ensure<FormatError>(text.size() <= kLargestSheet, place, ": found ", text.size(),
                      " bytes, wanted at most ", kLargestSheet);
  std::vector<Mark> out;
  std::set<std::string> seen;
  std::optional<Exercise> open;
  std::optional<uint64_t> seed;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
    const Place here{place, at};
    at = end + 1;
    if (line.empty()) continue;
    if (!seed) {
      seed = seed_of(line, here);
      continue;
    }
    const size_t label = label_size(line);
    if (label) {
      if (!open) refuse(here, "found an answer, wanted an exercise before it");
      out.push_back(marked_answer(*std::exchange(open, std::nullopt), trimmed(line.substr(label))));
      continue;
    }
    const auto [chapter, number_in_chapter] = opening(line, here);
    if (!chapter) continue;
    open = make_exercise(chapter, number_in_chapter, *seed, lang);
    if (!seen.insert(open->id).second) refuse(here, "found exercise ", open->id, " twice");
  }
  ensure<FormatError>(seed.has_value(), place, ": found nothing, wanted \"", kHead, "N\"");
  ensure<FormatError>(!out.empty(), place, ": found no answers, wanted lines \"answer:\"");
  return out;
}

bool all_right(const std::vector<Mark>& marks) {
  return counted(marks, Mark::Kind::right) == marks.size();
}

std::string marks_text(const std::vector<Mark>& marks, Lang lang) {
  const bool ko = lang == Lang::ko;
  std::string out;
  for (const Mark& mark : marks) {
    const Exercise& e = mark.exercise;
    if (mark.kind == Mark::Kind::right) {
      out += text_of(e.id, "  ", ko ? "맞음" : "right", "  ", mark.written, "\n");
      continue;
    }
    if (mark.kind == Mark::Kind::empty) {
      out += text_of(e.id, "  ", ko ? "빈칸" : "empty", "\n");
      continue;
    }
    out += text_of(e.id, "  ", ko ? "틀림" : "wrong", "  ", mark.written,
                   ko ? "  정답 " : "  wanted ", answer_text(e), "\n");
    for (const std::string& line : e.given) out += "       " + line + "\n";
    for (const std::string& line : e.solution) out += "       " + line + "\n";
    out += text_of("       ", ko ? "더 보기: " : "more: ", "jogak explain ", e.topic, "\n");
  }
  const size_t right = counted(marks, Mark::Kind::right);
  out += ko ? text_of("\n", marks.size(), "문제 가운데 ", right, "문제를 맞혔습니다.\n")
            : text_of("\n", right, " of ", marks.size(), " right.\n");
  return out;
}

Json to_json(const Mark& mark) {
  constexpr const char* kKinds[] = {"right", "wrong", "empty"};
  Json out = Json::object();
  out.set("id", mark.exercise.id).set("topic", mark.exercise.topic);
  out.set("written", mark.written).set("mark", kKinds[static_cast<size_t>(mark.kind)]);
  out.set("wanted", Json::list(mark.exercise.answer.values));
  return std::move(out.set("solution", Json::list(mark.exercise.solution)));
}

Json marks_json(const std::vector<Mark>& marks) {
  Json answers = Json::array();
  for (const Mark& mark : marks) answers.push(to_json(mark));
  Json out = Json::object();
  out.set("schema", 1).set("right", static_cast<int64_t>(counted(marks, Mark::Kind::right)));
  out.set("count", static_cast<int64_t>(marks.size()));
  return out.set("answers", std::move(answers));
}

}  // namespace jogak
