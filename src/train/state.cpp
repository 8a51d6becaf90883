#include "train/state.h"

#include <charconv>
#include <limits>

namespace jogak {
namespace {

constexpr char kGenerator[] = "philox4x32-10";
constexpr int64_t kMost = int64_t{1} << 53;

// A seed has 64 bits; JSON's numbers are safe up to 53, so it is written as text.
uint64_t read_seed(const Fields& random) {
  const std::string& text = random.text("seed");
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    random.wrong(random.at("seed"), "seed", "a number of 64 bits");
  return seed;
}

Json inputs_json(const RunInputs& inputs) {
  Json out = Json::object();
  for (const auto& [name, value] : inputs) out.set(name, value);
  return out;
}

Json changes_json(const std::vector<TrainState::Change>& changes) {
  Json out = Json::array();
  for (const TrainState::Change& change : changes)
    out.push(Json::object({{"step", change.step}, {"what", change.what}}));
  return out;
}

}  // namespace

Json to_json(const TrainState& s) {
  return Json::object({
      {"schema", kStateSchema},
      {"step", s.step},
      {"world", s.processes},
      {"config_sha256", s.config_hash},
      {"isa", s.isa},
      {"random",
       Json::object(
           {{"generator", kGenerator}, {"seed", std::to_string(s.seed)}, {"step", s.step}})},
      {"data", Json::object({{"inputs", inputs_json(s.inputs)},
                             {"accepted", changes_json(s.accepted)},
                             {"examples", s.examples},
                             {"epoch", s.position.epoch},
                             {"index", s.position.index}})},
      {"optimizer", Json::object({{"kind", s.optimizer}, {"updates", s.updates}})},
      {"validation", Json::object({{"step", s.validated_step},
                                   {"loss", s.valid_loss},
                                   {"best_step", s.best_step},
                                   {"best_loss", s.best_loss},
                                   {"score", s.valid_score},
                                   {"best_score", s.best_score},
                                   {"averaged", s.averaged},
                                   {"worse_in_row", s.worse_in_row}})},
      {"skipped",
       Json::object(
           {{"steps", s.skipped}, {"in_row", s.skipped_in_row}, {"first_bad", s.first_bad}})},
      {"window", Json::object({{"loss", s.window_loss}, {"tokens", s.window_tokens}})},
  });
}

TrainState read_state(const Json& json, const std::string& file) {
  const Fields top(json, file);
  const int64_t schema = top.integer("schema", {.low = 1});
  ensure<FormatError>(schema <= kStateSchema, file, ": found schema ", schema,
                      ", this version reads up to ", kStateSchema);
  const Fields::Range count{.low = 0, .high = kMost};
  TrainState s;
  s.step = top.integer("step", count);
  s.processes = top.integer("world", {.low = 1, .high = kMost});
  s.config_hash = top.text("config_sha256");
  const Fields random = top.object("random"), data = top.object("data");
  if (random.text("generator") != kGenerator)
    random.wrong(random.at("generator"), "generator", kGenerator);
  if (random.integer("step", count) != s.step)
    random.wrong(random.at("step"), "step", "the checkpoint's step");
  s.seed = read_seed(random);
  s.isa = top.text_or("isa", "");
  if (data.has("inputs"))
    for (const auto& [name, value] : data.object("inputs").json().members())
      s.inputs.emplace_back(name, data.object("inputs").text(name));
  if (data.has("accepted"))
    for (const Json& one : data.list("accepted")) {
      const Fields change(one, file);
      s.accepted.push_back({change.integer("step", count), change.text("what")});
    }
  s.examples = data.integer("examples", {.low = 1, .high = kMost});
  s.position = {data.integer("epoch", count), data.integer("index", count)};
  if (s.position.index >= s.examples)
    data.wrong(data.at("index"), "index", text_of("a place among ", s.examples, " examples"));
  const Fields optimizer = top.object("optimizer"), validation = top.object("validation");
  s.optimizer = optimizer.text("kind");
  s.updates = optimizer.integer("updates", {.low = 0, .high = s.step});
  s.validated_step = validation.integer("step", {.low = 0, .high = s.step});
  s.valid_loss = validation.number_or("loss", std::numeric_limits<double>::quiet_NaN());
  s.best_step = validation.integer("best_step", {.low = 0, .high = s.step});
  s.best_loss = validation.number("best_loss");
  s.valid_score = validation.number_or("score", 0);
  s.best_score = validation.number_or("best_score", 0);
  s.averaged = validation.flag_or("averaged", false);
  s.worse_in_row = validation.integer("worse_in_row", count);
  const Fields skipped = top.object("skipped"), window = top.object("window");
  s.skipped = skipped.integer("steps", count);
  s.skipped_in_row = skipped.integer("in_row", count);
  s.first_bad = skipped.text("first_bad");
  s.window_loss = window.number("loss");
  s.window_tokens = window.integer("tokens", count);
  return s;
}

}  // namespace jogak
