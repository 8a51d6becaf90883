// Scores of a translation model: loss over the pairs, and BLEU, chrF and exact matches of what it
// translates.
#include <algorithm>

#include "app/data/text_data.h"
#include "app/measure/eval_parts.h"
#include "app/use/generation.h"
#include "app/use/translate_lines.h"
#include "autograd/autograd.h"
#include "base/log.h"
#include "base/progress.h"
#include "data/pair_data.h"
#include "score/exact_match.h"
#include "text/beginning.h"
#include "train/task.h"

namespace jogak {
namespace {

Pairs pairs_of(const EvalTask& task) {
  const EvalOptions& c = task.options;
  if (!c.make.empty())
    return pairs_from_lines(generated_lines(c.make, c.count, c.seed, true), c.make);
  if (!c.source.empty()) return read_pairs(c.source, c.target, "", c.longest);
  return read_pair_file(c.data, {task.data.source_column, task.data.target_column}, "", c.longest);
}

double loss_over(const Model& model, const PairTokenizer& tokenizer, const Pairs& pairs,
                 const EvalOptions& c, int64_t& tokens) {
  PairOptions o{.batch_sentences = c.batch};
  o.max_source = o.max_target = model.context;
  o.pad_id = model.seq2seq.pad, o.start_id = tokenizer.start(model.seq2seq.start);
  const auto most = static_cast<size_t>(model.context);
  const PairData data(
      pairs, [&](std::string_view text) { return beginning_ids(tokenizer.source, text, most); },
      [&](std::string_view text) { return beginning_ids(tokenizer.target, text, most); }, o);
  tokens = data.target_tokens();
  const NoGrad quiet;
  Run run;
  run.stop = c.stop, run.probe = c.probe;
  return mean_loss(
      c.most > 0 ? std::min(data.batches(), c.most / c.batch + 1) : data.batches(), 1,
      [&](int64_t i, int64_t, Run& own) -> LossSum {
        const PairBatch b = data.eval_batch(i);
        return {model.seq2seq.loss_sum({b.source, b.source_mask}, b.decoder_ids, b.targets, 0, own),
                b.tokens};
      },
      run);
}

struct Translated {
  std::vector<std::string> found, wanted;
};

// Both sides of the scores; what is far too long to be translated is on neither.
Translated translated(const Model& model, const PairTokenizer& tokenizer, const Pairs& pairs,
                      const TranslateOptions& how) {
  const std::vector<Translation> lines = translate_lines(model, tokenizer, pairs.source, how);
  Translated out;
  size_t first_left_out = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].too_long) {
      if (first_left_out == 0) first_left_out = i + 1;
      continue;
    }
    out.found.push_back(lines[i].texts[0].text);
    out.wanted.push_back(pairs.target[i]);
  }
  if (first_left_out > 0)
    log_warning(pairs.name(), ": ", lines.size() - out.found.size(), " of ", lines.size(),
                " sources are longer than ", kMostPieces,
                " times what the model reads and are left out of the scores; the first is line ",
                first_left_out);
  return out;
}

}  // namespace

PairEval evaluate_pairs(const EvalTask& task, const Model& model) {
  const EvalOptions& c = task.options;
  const PairTokenizer tokenizer = load_pair_tokenizer(c.directory);
  check_fits(model, tokenizer, c.directory);
  const Pairs pairs = pairs_of(task);
  int64_t tokens = 0;
  const double loss = loss_over(model, tokenizer, pairs, c, tokens);
  if (c.loss_only) return {.loss = loss, .tokens = tokens};
  GenerationSettings asked;
  if (c.beams > 0) asked.num_beams = c.beams;
  asked.length_penalty = c.length_penalty;
  TranslateOptions how =
      in_language(tokenizer, translate_options(directory_settings(c.directory, model), asked));
  how.stop = c.stop;
  how.progress = progress_lines(c.lang == Lang::ko ? "번역" : "translating", c.lang);
  const Translated both = translated(model, tokenizer, pairs, how);
  TranslationOptions options;
  options.bleu = bleu_options(c.bleu);
  options.bootstrap.resamples = c.bootstrap;
  return {score_translations(both.found, {both.wanted}, options),
          loss,
          tokens,
          how.beam.beams,
          how.beam.length_penalty,
          exact_match(both.found, both.wanted)};
}

}  // namespace jogak
