#include "app/page/runs.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "app/show/inspect.h"
#include "app/train/recipe.h"
#include "base/file.h"
#include "train/checkpoint.h"

namespace jogak {
namespace {

constexpr double kStillLive = 60;  // seconds without a new line
constexpr size_t kGlancePoints = 24, kMostFollowed = 64, kMostRuns = 10000;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(); }

Json glance_json(const std::string& name, const RunGlance& glance) {
  Json points = Json::array();
  for (const auto& [step, loss] : glance.points) points.push(Json::array({Json(step), Json(loss)}));
  Json out = Json::object();
  out.set("name", name).set("step", glance.step);
  out.set("train_loss", finite_or_null(glance.train_loss));
  out.set("valid_loss", finite_or_null(glance.valid_loss));
  out.set("points", std::move(points)).set("modified", glance.modified);
  return std::move(out.set("live", seconds_now() - glance.modified < kStillLive));
}

// Whether the file is as it was when it was last looked at.
bool same_file(const std::string& path, const RunGlance& glance) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0) return glance.bytes == 0 && glance.modified == 0;
  const double modified =
      static_cast<double>(state.st_mtim.tv_sec) + static_cast<double>(state.st_mtim.tv_nsec) * 1e-9;
  return state.st_size == glance.bytes && modified == glance.modified;
}

void tell_recipe(const std::string& directory, Json& out) {
  const std::string file = join_path(directory, "recipe.toml");
  if (!file_exists(file)) return;
  try {
    const Recipe recipe = read_recipe(file);
    out.set("steps", recipe.train.steps).set("clip", recipe.train.clip);
    out.set("metric", recipe.train.metric).set("family", recipe.model.family);
  } catch (const Error&) {  // of another version: the curves are there all the same
  }
}

}  // namespace

std::string RunFolder::path(const std::string& name) const {
  const bool plain = !name.empty() && name[0] != '.' && name.find('/') == std::string::npos &&
                     name.find('\0') == std::string::npos;
  const std::string out = plain && !directory_.empty() ? join_path(directory_, name) : "";
  ensure<MissingError>(!out.empty() && is_directory(out), "no run is called \"", name, "\"");
  return out;
}

Json RunFolder::list() {
  Json runs = Json::array();
  if (!directory_.empty() && is_directory(directory_)) {
    size_t count = 0;
    for (const std::string& name : list_directory(directory_)) {
      const std::string run = join_path(directory_, name);
      const std::string file = join_path(run, "metrics.jsonl");
      if (name[0] == '.' || ++count > kMostRuns) continue;
      const std::lock_guard lock(mutex_);
      auto& glance = glances_[name];
      if (!same_file(file, glance)) glance = glance_at_run(run, kGlancePoints);
      if (glance.bytes > 0) runs.push(glance_json(name, glance));
    }
  }
  Json out = Json::object();
  return std::move(out.set("runs", std::move(runs)).set("now", seconds_now()));
}

std::shared_ptr<RunFolder::Followed> RunFolder::followed(const std::string& name) {
  const std::string directory = path(name);
  const std::lock_guard lock(mutex_);
  if (followed_.size() >= kMostFollowed && !followed_.contains(name)) followed_.clear();
  std::shared_ptr<Followed>& out = followed_[name];
  if (!out) {
    out = std::make_shared<Followed>();
    out->curves = std::make_unique<RunCurves>(directory);
  }
  return out;
}

Json RunFolder::curves(const std::string& name, int64_t offset) {
  const std::string directory = path(name);
  const std::shared_ptr<Followed> run = followed(name);
  const std::lock_guard lock(run->mutex);
  run->curves->follow();
  Json out = Json::object({{"name", Json(name)}});
  const RunGlance glance = glance_at_run(directory, 1);
  out.set("live", seconds_now() - glance.modified < kStillLive);
  if (offset > 0 && run->curves->offset() == offset)
    return std::move(out.set("offset", offset).set("unchanged", true));
  const Json curves = run->curves->json();
  for (const auto& [key, value] : curves.members()) out.set(key, value);
  tell_recipe(directory, out);
  return std::move(out.set("checkpoints", Json::list(checkpoint_steps(directory))));
}

std::vector<int64_t> checkpoint_steps(const std::string& run) {
  constexpr std::string_view kBegin = "step-";
  std::vector<int64_t> out;
  const std::string folder = join_path(run, "checkpoints");
  if (!is_directory(folder)) return out;
  for (const std::string& name : list_directory(folder)) {
    if (!name.starts_with(kBegin)) continue;
    int64_t step = 0;
    const char* const last = name.data() + name.size();
    const auto [end, error] = std::from_chars(name.data() + kBegin.size(), last, step);
    if (error == std::errc() && end == last) out.push_back(step);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Json film_frame(const FilmQuestion& q) {
  const std::vector<int64_t> steps = checkpoint_steps(q.run);
  ensure<MissingError>(std::binary_search(steps.begin(), steps.end(), q.step),
                       "no checkpoint of step ", q.step);
  char name[32];
  std::snprintf(name, sizeof name, "step-%08lld", static_cast<long long>(q.step));
  const InspectSubject subject(q.run);
  const Checkpoint checkpoint(join_path(join_path(q.run, "checkpoints"), name));
  ParamStore& store = *subject.model().store;
  const CheckpointWeights weights(checkpoint, store);
  for (const Param& p : store.all()) copy_into(p.value, weights.get(p));
  InspectCommand command{.what = q.positions ? "positions" : "attention",
                         .directory = q.run,
                         .input = q.input,
                         .lang = q.lang,
                         .stop = q.stop};
  command.attention = {.layer = q.layer, .head = q.head, .kind = q.kind};
  const Inspection shown = inspect(subject, command);
  ensure<UsageError>(!shown.plates.empty(), "there is nothing to film");
  Json out = picture_json(shown.plates[0].picture);
  return std::move(out.set("step", q.step));
}

}  // namespace jogak
