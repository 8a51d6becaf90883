#include "train/report.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "base/format.h"
#include "base/log.h"
#include "train/step.h"

namespace jogak {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr Words kTitle{"학습", "train"}, kLoss{"손실", "loss"}, kPerplexity{"퍼플렉시티", "ppl"},
    kRate{"학습률", "lr"}, kNorm{"기울기", "norm"}, kTokens{"토큰/초", "tokens/s"},
    kExamples{"예/초", "examples/s"}, kValid{"검증", "valid"};

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

Report::Report(const TrainOptions& options, bool of_tokens, const TrainState& start, bool is_first)
    : steps_(options.steps),
      batch_(options.batch),
      log_every_(options.log_every),
      of_tokens_(of_tokens),
      lang_(options.lang),
      line_loss_(kNone),
      valid_loss_(start.validated_step > 0 ? start.valid_loss : kNone) {
  if (!is_first) return;
  metrics_.emplace(options.out,
                   Metrics::Start{.step = start.step, .validated_step = start.validated_step});
  if (!options.progress) return;
  progress_ = std::make_unique<Progress>(std::string(kTitle(lang_)), steps_, lang_);
  progress_->update(start.step);
}

Report::Clock::~Clock() {
  const auto taken = std::chrono::steady_clock::now() - begin_;
  const double seconds = std::chrono::duration<double>(taken).count();
  report_.seconds_ += seconds;
  report_.window_seconds_ += seconds;
}

void Report::step(TrainState& state, const StepResult& result, double rate) {
  tokens_ += result.tokens, window_tokens_ += result.tokens;
  ++taken_, ++window_taken_;
  state.window_loss += result.loss_sum;
  state.window_tokens += result.tokens;
  loss_ = loss_ == 0 ? result.loss() : 0.9 * loss_ + 0.1 * result.loss();
  if (state.step == 1 || state.step % log_every_ == 0 || state.step == steps_)
    line(state, result, rate);
  if (progress_) progress_->update(state.step, fields(rate, result.grad_norm));
}

double Report::speed(int64_t tokens, int64_t steps, double seconds) const {
  if (seconds <= 0) return kNone;
  return static_cast<double>(of_tokens_ ? tokens : steps * batch_) / seconds;
}

void Report::line(TrainState& state, const StepResult& result, double rate) {
  line_loss_ = state.window_loss / static_cast<double>(state.window_tokens);
  Scalars values = {{"train_loss", line_loss_}};
  if (of_tokens_) values.emplace_back("perplexity", std::exp(line_loss_));
  values.emplace_back("lr", rate);
  values.emplace_back("grad_norm", result.grad_norm);
  values.emplace_back(of_tokens_ ? "tokens_per_s" : "examples_per_s",
                      speed(window_tokens_, window_taken_, window_seconds_));
  if (metrics_) metrics_->write(state.step, values);
  state.window_loss = 0;
  state.window_tokens = 0;
  window_seconds_ = 0;
  window_tokens_ = window_taken_ = 0;
}

ProgressFields Report::fields(double rate, double norm) const {
  ProgressFields out = {{std::string(kLoss(lang_)), fixed(loss_, 4)}};
  if (of_tokens_) out.emplace_back(kPerplexity(lang_), short_number(std::exp(loss_)));
  out.emplace_back((of_tokens_ ? kTokens : kExamples)(lang_),
                   format_count(std::llround(speed(tokens_, taken_, std::max(seconds_, 1e-9)))));
  out.emplace_back(kRate(lang_), short_number(rate));
  out.emplace_back(kNorm(lang_), short_number(norm));
  if (std::isfinite(valid_loss_))
    out.insert(out.begin() + 1, {std::string(kValid(lang_)), fixed(valid_loss_, 4)});
  return out;
}

void Report::skipped(const TrainState& state, const std::string& why) {
  if (!metrics_) return;
  log_warning("step ", state.step, " skipped: ", why);
  metrics_->write_skipped(state.step, why);
}

void Report::validation(const TrainState& state, const std::string& score_name) {
  valid_loss_ = state.valid_loss;
  if (!metrics_) return;
  if (!std::isfinite(valid_loss_))
    log_warning("step ", state.step, ": the validation loss is ", valid_loss_);
  Scalars values = {{"valid_loss", valid_loss_}};
  if (!score_name.empty()) {
    values.emplace_back("valid_" + score_name, state.valid_score);
    log_info(text_of(kValid(lang_), " ", format_count(state.step), ": ", kLoss(lang_), " ",
                     fixed(valid_loss_, 4), ", ", score_name, " ", fixed(state.valid_score, 2)));
  }
  metrics_->write(state.step, values);
}

void Report::average(const TrainState& state, const std::string& score_name, size_t checkpoints) {
  if (!metrics_) return;
  const std::string score =
      score_name.empty() ? "" : text_of(", ", score_name, " ", fixed(state.valid_score, 2));
  log_info(text_of(lang_ == Lang::ko ? "체크포인트 평균 " : "mean of checkpoints: ", checkpoints,
                   ", ", kValid(lang_), " ", kLoss(lang_), " ", fixed(state.valid_loss, 4), score,
                   state.averaged      ? ""
                   : lang_ == Lang::ko ? " (더 낫지 않음)"
                                       : " (no better)"));
}

TrainResult Report::result(const TrainState& state, TrainEnd end) {
  TrainResult out;
  out.end = end;
  out.step = state.step;
  out.train_loss = line_loss_;
  out.valid_loss = valid_loss_;
  if (state.best_step > 0) out.best_loss = state.best_loss;
  out.best_step = state.best_step;
  if (state.best_step > 0) out.best_score = state.best_score;
  out.averaged = state.averaged;
  out.tokens_per_s = seconds_ > 0 ? static_cast<double>(tokens_) / seconds_ : 0;
  out.examples_per_s = seconds_ > 0 ? static_cast<double>(taken_ * batch_) / seconds_ : 0;
  out.skipped = state.skipped;
  if (progress_)
    progress_->finish(text_of(kTitle(lang_), " ", format_count(state.step), "/",
                              format_count(steps_), ": ", kLoss(lang_), " ", fixed(loss_, 4)));
  return out;
}

}  // namespace jogak
