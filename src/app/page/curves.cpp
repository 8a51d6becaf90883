#include "app/page/curves.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/file.h"

namespace jogak {
namespace {

constexpr size_t kPiece = 256 << 10;         // read at once
constexpr size_t kLongestRecord = 64 << 10;  // of a line; a longer one is none of ours
constexpr size_t kMostSkipped = 100;
constexpr size_t kMostCurves = 64;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ >= 0 && ::fstat(fd_, &state_) != 0) close();
    if (fd_ >= 0 && !S_ISREG(state_.st_mode)) close();
  }
  ~OpenFile() { close(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int64_t size() const { return state_.st_size; }
  uint64_t number() const { return state_.st_ino; }
  double modified() const {
    return static_cast<double>(state_.st_mtim.tv_sec) +
           static_cast<double>(state_.st_mtim.tv_nsec) * 1e-9;
  }
  // As much as there is, at most `count`.
  std::string read(int64_t from, size_t count) const {
    std::string out(count, '\0');
    const ssize_t n = ::pread(fd_, out.data(), count, from);
    out.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return out;
  }

 private:
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int fd_;
  struct stat state_ {};
};

// One line of metrics.jsonl.
struct Record {
  int64_t step = 0;
  Json values;

  double number(const char* key) const {
    const Json* const found = values.find(key);
    return found && found->is_number() ? found->number() : kNone;
  }
};

// None when the line is not one, such as one that is being written.
std::optional<Record> record_of(std::string_view line) {
  try {
    Json values = parse_json(line, "metrics.jsonl");
    const Json* const step = values.find("step");
    if (step && step->is_integer()) return Record{step->integer(), std::move(values)};
  } catch (const FormatError&) {
  }
  return std::nullopt;
}

// Calls take(record) for the whole lines of a piece that may begin and end within one.
template <class Take>
void whole_lines(std::string_view piece, bool from_start, const Take& take) {
  size_t begin = from_start ? 0 : piece.find('\n') + 1;
  if (!from_start && begin == 0) return;
  for (size_t end; (end = piece.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
    const std::optional<Record> record = record_of(piece.substr(begin, end - begin));
    if (record && !take(*record)) return;
  }
}

}  // namespace

void Curve::Point::take(const Point& other) {
  low = count ? std::min(low, other.low) : other.low;
  high = count ? std::max(high, other.high) : other.high;
  step = other.step, count += other.count, sum += other.sum;
}

void Curve::add(int64_t step, double value) {
  least_ = points_.empty() ? value : std::min(least_, value);
  last_ = value;
  if (points_.empty() || points_.back().count >= stride_) points_.emplace_back();
  points_.back().take({step, 1, value, value, value});
  if (points_.size() <= kMostPoints) return;
  std::vector<Point> joined;
  for (size_t i = 0; i < points_.size(); i += 2) {
    joined.push_back(points_[i]);
    if (i + 1 < points_.size()) joined.back().take(points_[i + 1]);
  }
  points_ = std::move(joined);
  stride_ *= 2;
}

Json Curve::json() const {
  Json steps = Json::array(), mean = Json::array(), low = Json::array(), high = Json::array();
  for (const Point& p : points_) {
    steps.push(p.step);
    mean.push(p.sum / static_cast<double>(p.count));
    low.push(p.low);
    high.push(p.high);
  }
  Json out = Json::object();
  out.set("steps", std::move(steps)).set("mean", std::move(mean));
  return std::move(out.set("low", std::move(low)).set("high", std::move(high)));
}

RunCurves::RunCurves(std::string directory) : path_(join_path(directory, "metrics.jsonl")) {}

void RunCurves::follow() {
  const OpenFile file(path_);
  if (!file.is_open()) return;
  if (file.number() != file_ || file.size() < offset_) {
    offset_ = step_ = 0;
    curves_.clear();
    skipped_.clear();
    file_ = file.number();
  }
  std::string rest;
  for (int64_t at = offset_; at < file.size();) {
    const std::string piece = file.read(at, kPiece);
    if (piece.empty()) break;
    at += static_cast<int64_t>(piece.size());
    rest += piece;
    size_t begin = 0;
    for (size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1)
      take_line(std::string_view(rest).substr(begin, end - begin));
    rest.erase(0, begin);
    offset_ = at - static_cast<int64_t>(rest.size());
    if (rest.size() > kLongestRecord) offset_ = at, rest.clear();
  }
}

void RunCurves::take_line(std::string_view line) {
  const std::optional<Record> record = record_of(line);
  if (!record) return;
  const int64_t step = record->step;
  step_ = std::max(step_, step);
  for (const auto& [name, value] : record->values.members()) {
    if (name == "skipped" && value.is_string() && skipped_.size() < kMostSkipped)
      skipped_.emplace_back(step, value.text());
    if (name == "schema" || name == "step" || !value.is_number()) continue;
    if (curves_.size() < kMostCurves || curves_.contains(name))
      curves_[name].add(step, value.number());
  }
}

Json RunCurves::json() const {
  Json curves = Json::object(), skipped = Json::array();
  for (const auto& [name, curve] : curves_) curves.set(name, curve.json());
  for (const auto& [step, why] : skipped_)
    skipped.push(Json::object({{"step", Json(step)}, {"why", Json(why)}}));
  Json out = Json::object();
  out.set("offset", offset_).set("step", step_).set("curves", std::move(curves));
  return std::move(out.set("skipped", std::move(skipped)));
}

RunGlance glance_at_run(const std::string& directory, size_t points) {
  RunGlance out{.train_loss = kNone, .valid_loss = kNone};
  const OpenFile file(join_path(directory, "metrics.jsonl"));
  if (!file.is_open()) return out;
  out.bytes = file.size(), out.modified = file.modified();
  constexpr int64_t kLook = 512, kEnd = 4096;
  const auto loss_at = [&](const Record& record) {
    const double loss = record.number("train_loss");
    const bool seen = !out.points.empty() && out.points.back().first >= record.step;
    if (std::isnan(loss) || seen) return true;
    out.points.emplace_back(record.step, loss);
    return false;
  };
  const int64_t gap = points > 1 ? file.size() / static_cast<int64_t>(points) : file.size();
  for (int64_t at = 0; at < file.size() - kLook; at += std::max(gap, kLook))
    whole_lines(file.read(at, kLook), at == 0, loss_at);
  const int64_t tail = std::max<int64_t>(0, file.size() - kEnd);
  whole_lines(file.read(tail, kEnd), tail == 0, [&](const Record& record) {
    out.step = std::max(out.step, record.step);
    const double train = record.number("train_loss"), valid = record.number("valid_loss");
    if (!std::isnan(train)) out.train_loss = train;
    if (!std::isnan(valid)) out.valid_loss = valid;
    return true;
  });
  if (!std::isnan(out.train_loss) && (out.points.empty() || out.points.back().first < out.step))
    out.points.emplace_back(out.step, out.train_loss);
  return out;
}

}  // namespace jogak
