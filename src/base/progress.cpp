#include "base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/format.h"
#include "base/log.h"
#include "base/terminal.h"

namespace jogak {
namespace {

constexpr double kSilent = 2.0;      // seconds before anything is shown
constexpr double kRedraw = 0.1;      // between drawings on a terminal
constexpr double kPlainEvery = 5.0;  // between lines elsewhere
constexpr size_t kLeastBar = 10, kMostBar = 30;
constexpr std::string_view kWipe = "\r\x1b[K";

double fraction(const ProgressMoment& m) {
  return std::clamp(static_cast<double>(m.done) / static_cast<double>(m.total), 0.0, 1.0);
}

std::string percent(const ProgressMoment& m) {  // rounded down: 100% means done
  return std::to_string(static_cast<int>(fraction(m) * 100)) + "%";
}

std::string count(const ProgressMoment& m) {
  return m.total > 0 ? format_count(m.done) + "/" + format_count(m.total) : format_count(m.done);
}

std::string time_left(const ProgressMoment& m, Lang lang) {
  constexpr Words kLeft{" 남음", " left"};
  return m.seconds_left < 0 ? "" : text_of(format_seconds(m.seconds_left, lang), kLeft(lang));
}

std::string field_text(const std::pair<std::string, std::string>& field) {
  return field.first.empty() ? field.second : field.first + " " + field.second;
}

std::string bar(double part, size_t cells, bool colour) {
  constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<size_t>(part * static_cast<double>(cells) * 8);
  std::string full;
  for (size_t i = 0; i < eighths / 8; ++i) full += "█";
  full += kEighths[eighths % 8];
  full = pad_right(full, cells);
  return "▕" + (colour ? "\x1b[36m" + full + "\x1b[0m" : full) + "▏";
}

}  // namespace

std::string progress_bar_line(const ProgressMoment& m, int columns, bool colour, Lang lang) {
  const size_t room = columns > 1 ? static_cast<size_t>(columns) - 1 : 1;  // the last one wraps
  size_t used = display_width(m.title);
  const auto fits = [&](size_t width) {
    if (used + width > room) return false;
    used += width;
    return true;
  };
  // In order of importance: title, percent, time left, the bar, the count, the fields.
  const std::string share = m.total > 0 ? pad_left(percent(m), 5) : "";
  const std::string left = time_left(m, lang);
  const bool with_share = fits(display_width(share));
  const bool with_left = with_share && !left.empty() && fits(2 + display_width(left));
  const bool with_bar = with_share && m.total > 0 && fits(3 + kLeastBar);
  std::string details;
  const auto add = [&](const std::string& text) {
    const bool good = fits(2 + display_width(text));
    if (good) details += "  " + text;
    return good;
  };
  bool more = add(count(m));
  for (size_t i = 0; more && m.fields && i < m.fields->size(); ++i)
    more = add(field_text((*m.fields)[i]));

  std::string line(fit_columns(m.title, room));
  if (with_bar) line += " " + bar(fraction(m), std::min(kLeastBar + room - used, kMostBar), colour);
  if (with_share) line += share;
  line += details;
  return with_left ? line + "  " + left : line;
}

std::string progress_plain_line(const ProgressMoment& m, Lang lang) {
  std::string line(m.title);
  line += m.total > 0 ? ": " + percent(m) + " (" + count(m) + ")" : ": " + count(m);
  if (m.fields)
    for (const auto& field : *m.fields) line += ", " + field_text(field);
  const std::string left = time_left(m, lang);
  return left.empty() ? line : line + ", " + left;
}

ProgressPlace ProgressPlace::standard_error(Lang lang) {
  const char* kind = std::getenv("TERM");
  ProgressPlace place;
  place.terminal = isatty(STDERR_FILENO) == 1 && !(kind && std::string_view(kind) == "dumb");
  place.colour = colour_wanted(STDERR_FILENO);
  place.lang = lang;
  place.columns = [] { return terminal_columns(STDERR_FILENO); };
  place.now = [] {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since).count();
  };
  place.out = detail::write_stderr;
  return place;
}

Progress::Progress(std::string title, int64_t total, Lang lang)
    : Progress(std::move(title), total, ProgressPlace::standard_error(lang)) {}

Progress::Progress(std::string title, int64_t total, ProgressPlace place)
    : title_(std::move(title)), total_(total), place_(std::move(place)) {
  start_ = place_.now();
  next_ = start_ + kSilent;
}

Progress::~Progress() {
  if (standing_) place_.out(kWipe);
}

void Progress::update(int64_t done, const ProgressFields& fields) {
  if (begin_ < 0) begin_ = done;
  const double now = place_.now();
  if (now < next_) return;
  ProgressMoment moment{title_, done, total_, -1, &fields};
  if (done > begin_ && total_ > 0)
    moment.seconds_left = (now - start_) *
                          static_cast<double>(std::max<int64_t>(total_ - done, 0)) /
                          static_cast<double>(done - begin_);
  if (place_.terminal) {
    place_.out(
        text_of(kWipe, progress_bar_line(moment, place_.columns(), place_.colour, place_.lang)));
    standing_ = true;
  } else {
    place_.out(progress_plain_line(moment, place_.lang) + "\n");
  }
  shown_ = true;
  next_ = now + (place_.terminal ? kRedraw : kPlainEvery);
}

void Progress::finish(std::string_view summary) {
  if (standing_) place_.out(kWipe);
  if (shown_ && !summary.empty()) place_.out(text_of(summary, "\n"));
  standing_ = shown_ = false;
  next_ = std::numeric_limits<double>::infinity();
}

std::function<void(int64_t, int64_t)> progress_lines(std::string title, Lang lang) {
  return [title = std::move(title), lang, line = std::make_shared<std::optional<Progress>>()](
             int64_t done, int64_t all) {
    if (!*line) line->emplace(title, all, lang);
    (*line)->update(done);
    if (done < all) return;
    (*line)->finish();
    line->reset();
  };
}

}  // namespace jogak
