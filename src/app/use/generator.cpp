#include "app/use/generator.h"

#include "app/models/model.h"
#include "app/models/vocabulary.h"
#include "base/file.h"
#include "generate/batcher.h"
#include "generate/beam.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

// End tokens: generation_config.json, else config.json, else the tokenizer's role.
std::vector<int> end_ids_of(const std::string& directory, const Model& model,
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

}  // namespace

struct Generator::Parts {
  Model model;
  Tokenizer tokenizer;
  std::vector<int> ends;

  Parts(const std::string& directory, const std::string& dtype)
      : model(open_language_model(directory, {.use = weight_use(dtype)})),
        tokenizer(Tokenizer::load(directory)) {
    check_rows(tokenizer, model.vocab, directory);
    ends = end_ids_of(directory, model, tokenizer);
  }
};

Generator::Generator(const std::string& directory, const std::string& dtype)
    : parts_(std::make_unique<Parts>(directory, dtype)) {}
Generator::~Generator() = default;
Generator::Generator(Generator&&) noexcept = default;
Generator& Generator::operator=(Generator&&) noexcept = default;

const Model& Generator::model() const { return parts_->model; }
const Tokenizer& Generator::tokenizer() const { return parts_->tokenizer; }
const std::vector<int>& Generator::end_ids() const { return parts_->ends; }

GenerateRequest Generator::request(const std::string& prompt, const GenerateOptions& o) const {
  std::vector<int> ids = tokenizer().encode_ids(prompt);
  if (ids.empty() && !end_ids().empty()) ids = {end_ids()[0]};  // a text begins after an end
  ensure<UsageError>(!ids.empty(), "generate: the prompt is empty; give one with --prompt");
  return {.prompt = std::move(ids),
          .sampling = o.sampling,
          .max_new = o.predict,
          .eos_ids = end_ids(),
          .stop = o.stop,
          .on_text = o.on_text};
}

Generated Generator::generate(const std::string& prompt, const GenerateOptions& o) const {
  GenerateRequest asked = request(prompt, o);
  if (o.beams <= 1)
    return jogak::generate(model().causal, &tokenizer(), std::move(asked), o.stop_flag);
  ensure<UsageError>(o.stop.empty(), "generate: --stop does not go with --beams");
  const BeamOptions beam{.beams = o.beams, .max_new = o.predict, .eos_ids = end_ids()};
  BeamText best = beam_search(model().causal, asked.prompt, beam, o.stop_flag)[0];
  Generated out{.text = tokenizer().decode(best.ids), .finish_reason = best.finish_reason};
  out.ids = std::move(best.ids);
  if (o.on_text) o.on_text(out.text);
  return out;
}

Json to_json(const Generated& generated) {
  Json out = Json::object();
  out.set("schema", 1).set("text", generated.text).set("ids", Json::list(generated.ids));
  return std::move(out.set("finish_reason", name_of(generated.finish_reason)));
}

}  // namespace jogak
