#include "app/measure/eval.h"

#include <cmath>

#include "app/data/text_data.h"
#include "app/models/model.h"
#include "autograd/autograd.h"
#include "base/file.h"
#include "base/progress.h"
#include "data/line_data.h"
#include "data/window_data.h"
#include "generate/batcher.h"

namespace jogak {
namespace {

double loss_over(const Model& model, int64_t items, int64_t batch,
                 const std::function<Batch(int64_t, int64_t)>& batch_at, const EvalCommand& c) {
  const NoGrad quiet;
  Run run;
  run.stop = c.stop;
  Progress progress(c.lang == Lang::ko ? "평가" : "evaluating", items, c.lang);
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

Json loss_json(double loss, int64_t tokens) {
  Json out = Json::object();
  out.set("schema", 1).set("loss", loss).set("perplexity", std::exp(loss));
  return std::move(out.set("tokens", tokens));
}

Json evaluate_text(const EvalCommand& c, const Model& model, const Tokenizer& tokenizer) {
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
  return loss_json(loss, data.eval_tokens());
}

std::vector<std::string> lines_of(const EvalCommand& c) {
  if (!c.make.empty()) return generated_lines(c.make, c.count, c.seed, true);
  std::vector<std::string> lines = read_lines(c.data);
  std::erase(lines, "");
  return lines;
}

Json evaluate_lines(const EvalCommand& c, const Model& model, const Tokenizer& tokenizer) {
  const std::vector<std::string> lines = lines_of(c);
  const auto end = tokenizer.role_id("eos_token");
  ensure<FormatError>(end.has_value(), c.directory, ": the tokenizer has no end token");
  const LineData data(lines, c.make.empty() ? c.data : c.make,
                      [&](std::string_view text) {
                        return tokenizer.encode_ids(
                            text, {.add_special = false, .special_as_text = true});
                      },
                      {.separator = c.separator, .end_id = *end, .context = model.context});
  int64_t tokens = 0;
  const double loss = loss_over(
      model, data.size(), c.batch,
      [&](int64_t first, int64_t n) {
        Batch b = data.eval_batch(first, n);
        tokens += b.tokens;
        return b;
      },
      c);
  const auto done = complete_lines(model, tokenizer, lines, c.separator, c.stop);
  Json out = loss_json(loss, tokens);
  out.set("exact_match", count_exact(done).score());
  return std::move(out.set("lines", done.size()));
}

}  // namespace

std::vector<Completion> complete_lines(const Model& model, const Tokenizer& tokenizer,
                                       const std::vector<std::string>& lines,
                                       const std::string& separator,
                                       const std::atomic<bool>* stop) {
  const int end = *tokenizer.role_id("eos_token");
  std::vector<Completion> out;
  std::vector<int64_t> handles;
  Batcher batcher(model.causal, &tokenizer, {.sequences = 64}, stop);
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
  Progress progress("completing", static_cast<int64_t>(lines.size()));
  while (batcher.step())
    progress.update(static_cast<int64_t>(lines.size()) - batcher.waiting() - batcher.running());
  progress.finish();
  for (size_t i = 0; i < out.size(); ++i) out[i].got = batcher.take(handles[i]).text;
  return out;
}

ExactMatch count_exact(const std::vector<Completion>& completions) {
  std::vector<std::string> found, wanted;
  for (const Completion& one : completions) {
    found.push_back(one.got);
    wanted.push_back(one.answer);
  }
  return exact_match(found, wanted);
}

Json evaluate(const EvalCommand& c) {
  const Model model = open_model(c.directory, {.use = weight_use(c.dtype)});
  if (model.translates()) return evaluate_pairs(c, model);
  if (model.encodes()) return evaluate_encoder(c, model);
  ensure<FormatError>(model.causal.forward != nullptr, c.directory, ": a ", model.model_type,
                      " model does not continue text");
  ensure<UsageError>(c.source.empty(), "eval: ", c.directory, " does not translate, --source and ",
                     "--target are of no use to it");
  const Tokenizer tokenizer = Tokenizer::load(c.directory);
  const bool lines = c.kind == "lines" || !c.make.empty();
  return lines ? evaluate_lines(c, model, tokenizer) : evaluate_text(c, model, tokenizer);
}

}  // namespace jogak
