// An encoder-decoder on sentence pairs.
#include <algorithm>

#include "app/data/pairs.h"
#include "app/measure/score.h"
#include "app/train/train_job.h"
#include "app/use/translate_lines.h"
#include "base/file.h"
#include "data/pair_data.h"

namespace jogak {
namespace {

struct PairJob : TrainJob {
  PairJob(PairTokenizer t, RecipePairs p) : tokenizer(std::move(t)), pairs(std::move(p)) {}
  PairTokenizer tokenizer;
  RecipePairs pairs;
  std::unique_ptr<PairData> train, valid;
};

// A resumed run keeps the tokenizer it began with.
PairTokenizer run_tokenizer(const TrainRequest& c, const RecipePairs& pairs) {
  const Recipe& r = c.recipe;
  if (c.resume && has_pair_tokenizer(c.out)) return load_pair_tokenizer(c.out);
  const PairLanguages languages{r.tokenizer.source_lang, r.tokenizer.target_lang};
  if (!r.tokenizer.from.empty()) return load_pair_tokenizer(r.tokenizer.from, languages);
  if (!r.model.from.empty()) return load_pair_tokenizer(r.model.from, languages);
  ensure<UsageError>(languages.source.empty() && languages.target.empty(),
                     "tokenizer.source_lang and target_lang are of tokenizers of many languages: "
                     "wanted tokenizer.from or model.from");
  const std::vector<std::string_view> source(pairs.train.source.begin(), pairs.train.source.end());
  const std::vector<std::string_view> target(pairs.train.target.begin(), pairs.train.target.end());
  return train_pair_tokenizer(
      source, target,
      {.type = r.tokenizer.type,
       .vocab_size = r.tokenizer.vocab_size,
       .shared = r.tokenizer.shared,
       .normalize = r.tokenizer.normalize,
       .alive = [&c] { ensure<Stopped>(!c.stop || !c.stop->load(), "stopped"); }});
}

Json fresh_config(const Recipe& r, const PairTokenizer& tokenizer) {
  const Family& family = family_named(r.model.family);
  const auto knows = [&](const char* key) {
    return std::find(family.keys.begin(), family.keys.end(), key) != family.keys.end();
  };
  std::vector<Json::Member> settings = r.model.settings;
  settings.emplace_back("vocab_size", tokenizer.source.vocab_size());
  if (knows("decoder_vocab_size"))
    settings.emplace_back("decoder_vocab_size", tokenizer.target.vocab_size());
  ensure<UsageError>(tokenizer.shared || knows("share_encoder_decoder_embeddings"), "a ",
                     family.name,
                     " model has one vocabulary for both sides, wanted tokenizer.shared = true");
  if (!tokenizer.shared) settings.emplace_back("share_encoder_decoder_embeddings", false);
  const auto pad = tokenizer.target.role_id("pad_token"),
             end = tokenizer.target.role_id("eos_token");
  ensure<FormatError>(pad && end,
                      "the tokenizer has no padding or no end token (pad_token, "
                      "eos_token), which pairs need");
  settings.emplace_back("pad_token_id", *pad);
  settings.emplace_back("decoder_start_token_id", family.starts_with_end ? *end : *pad);
  settings.emplace_back("eos_token_id", *end);
  return recipe_config(r.model, settings);
}

Model run_model(const Recipe& r, const PairTokenizer& tokenizer, ModelPlace place) {
  place.settings = r.model.settings;
  Model model = r.model.from.empty() ? new_model(fresh_config(r, tokenizer), r.train.seed, place)
                                     : open_model(r.model.from, place);
  ensure<UsageError>(model.translates(), "a ", model.model_type,
                     " model does not learn from pairs; an encoder-decoder such as model.family = "
                     "\"seq2seq\" does");
  check_fits(model, tokenizer, r.model.from);
  return model;
}

std::unique_ptr<PairData> encoded(const Pairs& pairs, const PairTokenizer& tokenizer,
                                  const Model& model, const TrainRecipe& r) {
  PairOptions o;
  // A step's micro-batches together are as large as a batch.
  const int64_t parts = std::max<int64_t>(r.micro_batches, 1);
  const auto part = [&](int64_t whole) { return (whole + parts - 1) / parts; };
  o.batch_tokens = part(r.batch_tokens);
  o.batch_sentences = r.batch_tokens > 0 ? 0 : part(r.batch);
  o.max_source = o.max_target = r.context > 0 ? std::min(r.context, model.context) : model.context;
  o.pad_id = model.seq2seq.pad, o.start_id = tokenizer.start(model.seq2seq.start);
  o.seed = r.seed;
  const auto with = [](const Tokenizer& side) {
    return [&side](std::string_view text) { return side.encode_ids(text); };
  };
  return std::make_unique<PairData>(pairs, with(tokenizer.source), with(tokenizer.target), o);
}

// Where memory is counted no token is found, nor an end: answers go as far as they may. Some groups
// of sources stand for all, from the longest to the shortest: blocks of each size stay cached.
void rehearse_score(const PairJob& job) {
  TranslateOptions how{.beam = {.beams = 1}, .ends = std::vector<int>{}};
  std::vector<std::string> lines = job.pairs.valid.source;
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  constexpr size_t kGroups = 8;
  const auto together = static_cast<size_t>(how.sentences);
  const size_t groups = (lines.size() + together - 1) / together, taken = std::min(groups, kGroups);
  for (size_t i = 0; i < taken; ++i) {
    const size_t first = i * groups / taken * together;
    const size_t end = std::min(first + together, lines.size());
    translate_lines(job.model, job.tokenizer,
                    {lines.begin() + static_cast<ptrdiff_t>(first),
                     lines.begin() + static_cast<ptrdiff_t>(end)},
                    how);
  }
}

void set_score(PairJob& job, const TrainRecipe& r) {
  if (r.metric == "loss") return;
  job.task.score_name = r.metric;
  job.task.score = [&job, r](Run& run) {
    if (run.rehearsal) {
      rehearse_score(job);
      return 0.0;
    }
    const auto texts =
        translate_lines(job.model, job.tokenizer, job.pairs.valid.source,
                        in_language(job.tokenizer, {.beam = {.beams = 1}, .stop = run.stop},
                                    "tokenizer.target_lang"));
    return score_by(r.metric, r.bleu_tokenize, best_texts(texts), job.pairs.valid.target);
  };
}

}  // namespace

std::unique_ptr<TrainJob> make_pair_job(const TrainRequest& c, ModelPlace place) {
  const TrainRecipe& r = c.recipe.train;
  RecipePairs pairs = recipe_pairs(c.recipe.data);
  PairTokenizer tokenizer = run_tokenizer(c, pairs);
  auto job = std::make_unique<PairJob>(std::move(tokenizer), std::move(pairs));
  job->open = [r = c.recipe, &t = job->tokenizer](ModelPlace at) { return run_model(r, t, at); };
  job->model = job->open(place);
  job->train = encoded(job->pairs.train, job->tokenizer, job->model, r);
  job->valid = encoded(job->pairs.valid, job->tokenizer, job->model, r);
  // A model that has not learned to end would go on to the end of its context.
  job->model.longest_answer = std::min(job->model.context, 2 * job->train->longest_target() + 50);
  // An example of the task is a whole batch of pairs.
  job->batch = r.micro_batches > 0 ? r.micro_batches : r.accumulate;
  const Model& model = job->model;
  const auto loss = [&model](const PairBatch& b, double smoothing, Run& run) -> LossSum {
    const Source source{b.source, b.source_mask};
    return {model.seq2seq.loss_sum(source, b.decoder_ids, b.targets, smoothing, run), b.tokens};
  };
  TrainTask& task = job->task;
  task.examples = job->train->batches();
  task.prepare = prepare_with(
      [data = job->train.get()](std::span<const Pick> picks) {
        ensure<Error>(picks.size() == 1, "pairs: one batch at a time");
        return data->batch(picks[0]);
      },
      [loss, smoothing = r.label_smoothing](const PairBatch& b, Run& run) {
        return loss(b, smoothing, run);
      });
  task.validate = [data = job->valid.get(), loss](Run& run) {
    return mean_loss(
        data->batches(), 1,
        [&](int64_t first, int64_t, Run& own) { return loss(data->eval_batch(first), 0, own); },
        run);
  };
  set_score(*job, r);
  task.save_model = [&job = *job](const std::string& directory) {
    save_model(job.model, directory);
    save_pair_tokenizer(job.tokenizer, directory);
  };
  task.config = model.config.dump();
  task.data = job->train->describe();
  add_tokenizer(task, "tokenizer of the source", job->tokenizer.source);
  add_tokenizer(task, "tokenizer of the target", job->tokenizer.target);
  return job;
}

}  // namespace jogak
