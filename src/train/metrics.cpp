#include "train/metrics.h"

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"

namespace jogak {
namespace {

constexpr int64_t kSchema = 1;

// Whether a line of an earlier process stays.
bool stays(std::string_view line, const std::string& path, int64_t number,
           const Metrics::Start& start) {
  try {
    const Json json = parse_json(line, path);
    const Fields fields(json, path);
    const int64_t step = fields.integer("step", {.low = 0});
    return step <= (fields.has("valid_loss") ? start.validated_step : start.step);
  } catch (const FormatError&) {
    log_warning(path, ": line ", number, " is not complete, dropped");
    return false;
  }
}

}  // namespace

Metrics::Metrics(const std::string& directory, Start start)
    : directory_(directory), path_(join_path(directory, "metrics.jsonl")), start_(start) {
  if (!file_exists(path_)) return;
  const std::string before = read_file(path_);
  resumed_ = !before.empty();
  std::string after;
  int64_t number = 0;
  for (size_t begin = 0; begin < before.size();) {
    const size_t end = std::min(before.find('\n', begin), before.size());
    const std::string_view line = std::string_view(before).substr(begin, end - begin);
    if (stays(line, path_, ++number, start)) after.append(line).append("\n");
    begin = end + 1;
  }
  if (after != before) write_file(path_, after);
}

void Metrics::write(int64_t step, const Scalars& values) {
  Json line = Json::object({{"schema", kSchema}, {"step", step}});
  Scalars finite;
  for (const auto& [name, value] : values) {
    if (!std::isfinite(static_cast<float>(value))) continue;  // TensorBoard has floats
    line.set(name, value);
    finite.emplace_back(name, value);
  }
  append_line(path_, line.dump());
  if (finite.empty()) return;
  if (!events_) events_.emplace(directory_, resumed_ ? start_.step : -1);
  events_->write(step, finite);
}

void Metrics::write_skipped(int64_t step, const std::string& why) {
  append_line(path_, Json::object({{"schema", kSchema}, {"step", step}, {"skipped", why}}).dump());
}

}  // namespace jogak
