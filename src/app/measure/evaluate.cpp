#include "app/measure/eval.h"

#include "app/data/text_data.h"
#include "app/measure/eval_parts.h"
#include "app/models/model.h"
#include "autograd/autograd.h"
#include "base/file.h"
#include "base/progress.h"
#include "data/line_data.h"
#include "data/window_data.h"
#include "generate/batcher.h"
#include "text/beginning.h"

namespace jogak {
namespace {

double loss_over(const Model& model, int64_t all, int64_t batch,
                 const std::function<Batch(int64_t, int64_t)>& batch_at, const EvalOptions& c) {
  const int64_t items = scored(all, c);
  const NoGrad quiet;
  Run run;
  run.stop = c.stop, run.probe = c.probe;
  Progress progress(progress_title(c), items, c.lang);
  const double loss = mean_loss(
      items, batch,
      [&](int64_t first, int64_t count, Run& r) -> LossSum {
        const Batch b = batch_at(first, count);
        progress.update(first);
        return {model.loss_sum(b.ids, b.targets, 0, r), b.tokens};
      },
      run);
  progress.finish();
  return loss;
}

TextEval evaluate_text(const EvalOptions& c, const Model& model, const Tokenizer& tokenizer) {
  TokenSource source;
  source.text = find_data(c.data);
  source.encode = [&](std::string_view text) {
    return tokenizer.encode_ids(text, {.add_special = false, .special_as_text = true});
  };
  source.vocab_size = tokenizer.vocab_size();
  source.from = c.from;
  const WindowData data(TokenFile(source), model.context, 0);
  const double loss = loss_over(
      model, data.eval_windows(), c.batch,
      [&](int64_t first, int64_t n) { return data.eval_batch(first, n); }, c);
  return {loss, data.eval_tokens()};
}

std::vector<std::string> lines_of(const EvalOptions& c) {
  if (!c.make.empty()) return generated_lines(c.make, c.count, c.seed, true);
  std::vector<std::string> lines = read_lines(c.data, "", c.longest);
  std::erase(lines, "");
  return lines;
}

struct Completion {
  std::string prompt, answer, got;
};

// Greedy, 64 at a time.
std::vector<Completion> complete_lines(const Model& model, const Tokenizer& tokenizer,
                                       const std::vector<std::string>& lines,
                                       const EvalTask& task) {
  const std::string& separator = task.data.separator;
  const int end = *tokenizer.role_id("eos_token");
  std::vector<Completion> out;
  std::vector<int64_t> handles;
  Batcher batcher(model.causal, &tokenizer, {.sequences = 64}, task.options.stop);
  for (const std::string& line : lines) {
    const size_t at = line.find(separator);
    ensure<FormatError>(at != std::string::npos, "a line without \"", separator, "\": ", line);
    const size_t answer = at + separator.size();
    out.push_back({line.substr(0, answer), line.substr(answer), ""});
    handles.push_back(
        batcher.add({.prompt = tokenizer.encode_ids(
                         out.back().prompt, {.add_special = false, .special_as_text = true}),
                     .max_new = 2 * static_cast<int64_t>(out.back().answer.size()) + 8,
                     .eos_ids = {end}}));
  }
  constexpr Words kTitle{"이어 쓰기", "completing"};
  Progress progress(std::string(kTitle(log_language())), static_cast<int64_t>(lines.size()));
  while (batcher.step())
    progress.update(static_cast<int64_t>(lines.size()) - batcher.waiting() - batcher.running());
  progress.finish();
  for (size_t i = 0; i < out.size(); ++i) out[i].got = batcher.take(handles[i]).text;
  return out;
}

TextEval evaluate_lines(const EvalTask& task, const Model& model, const Tokenizer& tokenizer) {
  const EvalOptions& c = task.options;
  const std::vector<std::string> lines = lines_of(c);
  const auto end = tokenizer.role_id("eos_token");
  ensure<FormatError>(end.has_value(), c.directory, ": the tokenizer has no end token");
  const LineData data(lines, c.make.empty() ? c.data : c.make,
                      [&](std::string_view text) {
                        return beginning_ids(tokenizer, text, static_cast<size_t>(model.context),
                                             {.add_special = false, .special_as_text = true});
                      },
                      {.separator = task.data.separator, .end_id = *end, .context = model.context});
  int64_t tokens = 0;
  const double loss = loss_over(
      model, data.size(), c.batch,
      [&](int64_t first, int64_t n) {
        Batch b = data.eval_batch(first, n);
        tokens += b.tokens;
        return b;
      },
      c);
  if (c.loss_only) return {loss, tokens};
  std::vector<std::string> found, wanted;
  for (Completion& one : complete_lines(model, tokenizer, lines, task)) {
    found.push_back(std::move(one.got));
    wanted.push_back(std::move(one.answer));
  }
  return {loss, tokens, exact_match(found, wanted)};
}

}  // namespace

namespace {

EvalTask task_of(const EvalOptions& c) {
  EvalTask out{c, run_recipe(c.directory).data};
  DataRecipe& d = out.data;
  d.kind = c.kind.value_or(d.kind), d.separator = c.separator.value_or(d.separator);
  d.text_column = c.text_column.value_or(d.text_column);
  d.label_column = c.label_column.value_or(d.label_column);
  d.image_column = c.image_column.value_or(d.image_column);
  d.date_column = c.date_column.value_or(d.date_column);
  d.series = c.series.value_or(d.series), d.mask_share = c.mask_share.value_or(d.mask_share);
  return out;
}

}  // namespace

EvalResult evaluate(const EvalOptions& c) {
  return evaluate(open_model(c.directory, {.use = weight_use(c.dtype)}), c);
}

double loss_of(const EvalResult& result) {
  return std::visit(
      [](const auto& one) {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, SeriesEval>)
          return one.mse;
        else
          return one.loss;
      },
      result);
}

EvalResult evaluate(const Model& model, const EvalOptions& c) {
  const EvalTask task = task_of(c);
  if (model.translates()) return evaluate_pairs(task, model);
  if (model.encodes()) return evaluate_encoder(task, model);
  ensure<FormatError>(model.causal.forward != nullptr, c.directory, ": a ", model.model_type,
                      " model does not continue text");
  ensure<UsageError>(c.source.empty(), "eval: ", c.directory, " does not translate, --source and ",
                     "--target are of no use to it");
  const Tokenizer tokenizer = Tokenizer::load(c.directory);
  if (task.lines()) return evaluate_lines(task, model, tokenizer);
  return evaluate_text(c, model, tokenizer);
}

}  // namespace jogak
