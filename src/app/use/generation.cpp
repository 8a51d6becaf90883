#include "app/use/generation.h"

#include <algorithm>

#include "base/file.h"
#include "base/log.h"
#include "base/suggest.h"

namespace jogak {
namespace {

// Empty: there is none.
std::string generation_file(const std::string& directory, const Model& model) {
  for (const std::string& place : {directory, model.base}) {
    const std::string file = join_path(place, "generation_config.json");
    if (!place.empty() && file_exists(file)) return file;
  }
  return {};
}

void warn_of_unknown(const std::vector<std::string>& unknown, const std::string& file) {
  std::vector<std::string> keys;
  for (const GenerationKey& key : generation_keys()) keys.emplace_back(key.key);
  for (const std::string& name : unknown) {
    const std::string close = nearest(name, keys);
    log_warning(file, ": ", json_quote_start(name, 60), " is not known and has no effect",
                close.empty() ? "" : ", did you mean '" + close + "'?");
  }
}

// Beside generation_config.json nobody reads them: worth a word where they say something else.
void warn_of_legacy(const Json& json, const std::string& file, const Json& config) {
  for (const GenerationKey& key : generation_keys()) {
    const Json* old = config.find(key.key);
    const Json* now = json.find(key.key);
    if (key.names_token || !old || old->is_null() || (now && *now == *old)) continue;
    log_warning("config.json: \"", key.key, "\" is not read beside ", file);
  }
}

}  // namespace

GenerationSettings directory_settings(const std::string& directory, const Model& model) {
  const std::string file = generation_file(directory, model);
  const int64_t vocab = model.translates() ? model.seq2seq.decoder.vocab : model.vocab;
  if (file.empty()) {
    const std::string legacy = join_path(directory, "config.json");
    GenerationSettings out = read_legacy_generation(model.config, legacy, vocab);
    if (model.translates() && !model.config.find("eos_token_id"))
      out.eos_token_id = {model.seq2seq.end};
    return out;
  }
  const Json json = read_json_file(file);
  GenerationFile read = read_generation_file(json, file, vocab);
  warn_of_unknown(read.unknown, file);
  warn_of_legacy(json, file, model.config);
  return std::move(read.settings);
}

void warn_of_idle(const GenerationSettings& asked, const GenerationPlan& plan) {
  if (plan.draws() || asked.temperature) return;
  for (const GenerationKey& key : generation_keys())
    if (key.draws && key.is_set(asked))
      log_warning("--", key.flag, " has no effect: nothing is drawn, --temp above 0 does");
}

GenerationSettings usual_generation() {
  GenerationSettings out;
  out.max_new_tokens = 128, out.do_sample = true;
  out.temperature = 0.8, out.top_k = 40, out.top_p = 0.95;
  return out;
}

GenerationSettings usual_translation() {
  GenerationSettings out;
  out.num_beams = 4;
  return out;
}

Json candidates_json(const std::vector<std::vector<Candidate>>& all) {
  Json out = Json::array();
  for (const auto& row : all) {
    Json pairs = Json::array();
    for (const Candidate& c : row) pairs.push(Json::array({c.id, c.probability}));
    out.push(std::move(pairs));
  }
  return out;
}

void warn_of_length(const CausalModel& model, int64_t tokens, int64_t wanted) {
  if (model.trained > 0 && tokens > model.trained)
    log_first_warning("a text is longer than the model was made for", "a text of ", tokens,
                      " tokens, but the model was made for ", model.trained,
                      ": what comes after may be worse");
  if (tokens == model.cache.context && wanted > tokens)
    log_first_warning("a text ends where the model has no more positions", "the text ends after ",
                      tokens, " tokens: the model has no positions for more");
}

}  // namespace jogak
