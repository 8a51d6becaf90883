#include "app/use/generator.h"

#include "app/models/vocabulary.h"
#include "app/use/generation.h"
#include "generate/batcher.h"
#include "generate/beam.h"
#include "nn/laying_out.h"
#include "text/beginning.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

// Where no file says anything of an end, the tokenizer's.
GenerationSettings settings_of(const std::string& directory, const Model& model,
                               const Tokenizer& tokenizer) {
  GenerationSettings out = directory_settings(directory, model);
  const bool said =
      out.from.ends_with("generation_config.json") || model.config.find("eos_token_id") != nullptr;
  if (const auto id = tokenizer.role_id("eos_token"); !said && id) out.eos_token_id = {*id};
  return out;
}

}  // namespace

// Read once a token: in tiles on a CPU.
static Model opened(const std::string& directory, const std::string& dtype) {
  const LayingOut tiles;
  return open_language_model(directory, {.use = weight_use(dtype)});
}

struct Generator::Parts {
  Model model;
  Tokenizer tokenizer;
  GenerationSettings settings;

  Parts(const std::string& directory, const std::string& dtype)
      : model(opened(directory, dtype)), tokenizer(Tokenizer::load(directory)) {
    check_rows(tokenizer, model.vocab, directory);
    settings = settings_of(directory, model, tokenizer);
  }

  GenerationPlan plan(const GenerateOptions& o) const {
    GenerationPlan out = plan_of(merged(settings, o.settings, usual_generation()));
    out.beam.sampling.seed = o.seed;
    out.beam.show = o.candidates;
    return out;
  }

  // Whether anybody said how long a text may be: the usual length ends it without a word.
  bool says_length(const GenerateOptions& o) const {
    return settings.max_length || settings.max_new_tokens || o.settings.max_length ||
           o.settings.max_new_tokens;
  }

  std::vector<int> prompt_ids(const std::string& prompt) const {
    const int64_t context = model.causal.cache.context;
    const auto most = static_cast<size_t>(context);
    ensure<UsageError>(text_beginning(tokenizer, prompt, most).size() == prompt.size(),
                       "prompt: found more than ", 2 * context - 1, " tokens, wanted at most ",
                       context - 1, ": the model's context is ", context,
                       " tokens, one of them new");  // before all of them are in memory
    std::vector<int> ids = tokenizer.encode_ids(prompt);
    if (!ids.empty()) return ids;
    if (settings.bos_token_id) return {static_cast<int>(*settings.bos_token_id)};
    // A text begins after an end.
    ensure<UsageError>(settings.eos_token_id && !settings.eos_token_id->empty(),
                       "generate: the prompt is empty; give one with --prompt");
    return {settings.eos_token_id->front()};
  }

  GenerateRequest request(std::vector<int> prompt, const GenerationPlan& plan) const {
    GenerateRequest out{.prompt = std::move(prompt),
                        .sampling = plan.beam.sampling,
                        .rules = plan.beam.rules,
                        .eos_ids = plan.beam.eos_ids,
                        .stop = plan.stop,
                        .show = plan.beam.show};
    out.max_new = plan.room_after(out.prompt.size());
    return out;
  }
};

Generator::Generator(const std::string& directory, const std::string& dtype)
    : parts_(std::make_unique<Parts>(directory, dtype)) {}
Generator::~Generator() = default;
Generator::Generator(Generator&&) noexcept = default;
Generator& Generator::operator=(Generator&&) noexcept = default;

const Model& Generator::model() const { return parts_->model; }
const Tokenizer& Generator::tokenizer() const { return parts_->tokenizer; }
const GenerationSettings& Generator::settings() const { return parts_->settings; }

GenerateRequest Generator::request(const std::string& prompt, const GenerateOptions& o) const {
  return request(prompt_ids(prompt), o);
}

GenerateRequest Generator::request(const std::vector<int>& prompt, const GenerateOptions& o) const {
  GenerateRequest out = parts_->request(prompt, parts_->plan(o));
  out.on_text = o.on_text;
  return out;
}

Generated Generator::generate(const std::string& prompt, const GenerateOptions& o) const {
  return std::move(texts(prompt, o).front());
}

bool Generator::gives_several(const GenerateOptions& o) const {
  return parts_->plan(o).beam.n_best > 1;
}

std::vector<int> Generator::prompt_ids(const std::string& prompt) const {
  return parts_->prompt_ids(prompt);
}

std::vector<Generated> Generator::texts(const std::string& prompt, const GenerateOptions& o) const {
  return texts(prompt_ids(prompt), o);
}

std::vector<Generated> Generator::texts(const std::vector<int>& prompt,
                                        const GenerateOptions& o) const {
  const GenerationPlan plan = parts_->plan(o);
  GenerateRequest asked = parts_->request(prompt, plan);
  const int count = plan.beam.n_best;
  const auto before = static_cast<int64_t>(asked.prompt.size()), wanted = before + asked.max_new;
  const bool streams = plan.beam.beams == 1 && count == 1;
  if (streams) asked.on_text = o.on_text;
  std::vector<Generated> out;
  if (plan.beam.beams == 1) {
    Batcher batcher(model().causal, &tokenizer(), {}, o.stop_flag);
    std::vector<int64_t> handles;
    for (; asked.stream < static_cast<uint64_t>(count); ++asked.stream)
      handles.push_back(batcher.add(asked));
    batcher.finish_all();
    for (const int64_t handle : handles) out.push_back(batcher.take(handle));
  } else {
    ensure<UsageError>(plan.stop.empty(), "generate: --stop does not go with --beams");
    BeamOptions beam = plan.beam;
    beam.max_new = asked.max_new;
    for (BeamText& text : beam_search(model().causal, asked.prompt, beam, o.stop_flag)) {
      out.push_back({.ids = std::move(text.ids), .finish_reason = text.finish_reason});
      out.back().text = tokenizer().decode(out.back().ids);
      out.back().candidates = std::move(text.candidates);
    }
  }
  for (const Generated& text : out) {
    if (!streams && o.on_text) o.on_text(text.text);
    warn_of_length(model().causal, before + std::ssize(text.ids),
                   parts_->says_length(o) ? wanted : 0);
  }
  return out;
}

Json to_json(const Generated& generated) {
  Json out = Json::object();
  out.set("schema", 1).set("text", generated.text).set("ids", Json::list(generated.ids));
  out.set("finish_reason", name_of(generated.finish_reason));
  if (!generated.candidates.empty()) out.set("candidates", candidates_json(generated.candidates));
  return out;
}

Json to_json(const std::vector<Generated>& all) {
  Json out = to_json(all.front());
  if (all.size() == 1) return out;
  Json texts = Json::array();
  for (const Generated& one : all) texts.push(to_json(one));
  return std::move(out.set("texts", std::move(texts)));
}

}  // namespace jogak
