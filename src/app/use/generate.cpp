#include "app/use/generate.h"

#include "app/models/model.h"
#include "app/models/vocabulary.h"
#include "base/file.h"
#include "generate/batcher.h"
#include "generate/beam.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

// End tokens: generation_config.json, else config.json, else the tokenizer's role.
std::vector<int> end_ids(const std::string& directory, const Model& model,
                         const Tokenizer& tokenizer) {
  std::vector<int> ids;
  const auto take = [&](const Json& config, const std::string& file) {
    const Json* value = config.find("eos_token_id");
    if (!value || value->is_null()) return;
    const Fields fields(config, file);
    const std::vector<Json> one = {*value};
    for (const Json& id : value->is_array() ? value->items() : one) {
      const bool good = id.is_integer() && id.integer() >= 0 && id.integer() < model.vocab;
      if (!good) fields.wrong(id, "eos_token_id", text_of("an id from 0 to ", model.vocab - 1));
      ids.push_back(static_cast<int>(id.integer()));
    }
  };
  const std::string file = join_path(directory, "generation_config.json");
  if (file_exists(file)) take(read_json_file(file), file);
  if (ids.empty()) take(model.config, join_path(directory, "config.json"));
  if (const auto id = tokenizer.role_id("eos_token"); ids.empty() && id) ids.push_back(*id);
  return ids;
}

Json result_json(const std::string& text, const std::vector<int>& ids, FinishReason reason) {
  Json out = Json::object();
  out.set("schema", 1).set("text", text).set("ids", Json::list(ids));
  return std::move(out.set("finish_reason", name_of(reason)));
}

}  // namespace

Json generate_text(const GenerateCommand& c) {
  const Model model = open_language_model(c.directory, {.use = weight_use(c.dtype)});
  const Tokenizer tokenizer = Tokenizer::load(c.directory);
  check_rows(tokenizer, model.vocab, c.directory);
  std::vector<int> prompt = tokenizer.encode_ids(c.prompt);
  const std::vector<int> ends = end_ids(c.directory, model, tokenizer);
  if (prompt.empty() && !ends.empty()) prompt = {ends[0]};  // a text begins after an end
  ensure<UsageError>(!prompt.empty(), "generate: the prompt is empty; give one with --prompt");
  if (c.beams > 1) {
    ensure<UsageError>(c.stop.empty(), "generate: --stop does not go with --beams");
    const BeamText best =
        beam_search(model.causal, prompt, {.beams = c.beams, .max_new = c.predict, .eos_ids = ends},
                    c.stop_flag)[0];
    const std::string text = tokenizer.decode(best.ids);
    if (c.on_text) c.on_text(text);
    return result_json(text, best.ids, best.finish_reason);
  }
  GenerateRequest request{.prompt = std::move(prompt),
                          .max_new = c.predict,
                          .eos_ids = ends,
                          .stop = c.stop,
                          .on_text = c.on_text};
  request.sampling = {.temperature = c.temperature,
                      .top_k = c.top_k,
                      .top_p = c.top_p,
                      .min_p = c.min_p,
                      .repeat_penalty = c.repeat_penalty,
                      .seed = c.seed};
  const Generated got = generate(model.causal, &tokenizer, std::move(request), c.stop_flag);
  return result_json(got.text, got.ids, got.finish_reason);
}

}  // namespace jogak
