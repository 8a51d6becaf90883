#include "cli/eval_table.h"

#include "base/format.h"

namespace jogak::cli {
namespace {

class EvalTable {
 public:
  explicit EvalTable(Lang lang)
      : lang_(lang),
        table_({lang == Lang::ko ? "항목" : "item", lang == Lang::ko ? "값" : "value"}) {}
  std::string text() const { return table_.text(); }

  void add(const TextEval& e) {
    loss(e.loss);
    row({"퍼플렉시티", "perplexity"}, e.perplexity(), 3);
    row({"토큰", "tokens"}, e.tokens);
    if (!e.exact) return;
    row({"정확히 맞은 비율", "exact match"}, e.exact->score());
    row({"줄", "lines"}, e.exact->lines);
  }
  void add(const PairEval& e) {
    add(TextEval{e.loss, e.tokens});
    row({"BLEU", "BLEU"}, e.score.bleu.score, 2);
    if (e.score.bleu_interval)
      row({"  ± (95 %)", "  ± (95 %)"}, e.score.bleu_interval->half_width, 2);
    row({"chrF", "chrF"}, e.score.chrf, 2);
    row({"정확히 맞은 비율", "exact match"}, e.exact.score());
    row({"줄", "lines"}, e.score.lines);
  }
  void add(const LabelEval& e) {
    loss(e.loss);
    row({"정확도", "accuracy"}, e.accuracy);
    row({"F1 (매크로 평균)", "F1 (macro)"}, e.f1);
    row({"예", "examples"}, e.examples);
  }
  void add(const TagEval& e) {
    loss(e.loss);
    row({"정확도", "accuracy"}, e.accuracy);
    row(e.entities ? Words{"F1 (개체)", "F1 (entities)"} : Words{"F1 (매크로 평균)", "F1 (macro)"},
        e.f1);
    if (e.entities) {
      row({"정밀도", "precision"}, e.entities->precision);
      row({"재현율", "recall"}, e.entities->recall);
      row({"개체", "entities"}, e.entities->count);
    }
    row({"단어", "words"}, e.words);
  }
  void add(const SpanEval& e) {
    loss(e.loss);
    row({"정확히 맞은 비율", "exact match"}, e.exact_match);
    row({"F1 (단어)", "F1 (words)"}, e.f1);
    row({"물음", "questions"}, e.questions);
  }
  void add(const MatchEval& e) {
    loss(e.loss);
    row({"그림의 글을 찾은 비율", "image to text"}, e.image_to_text);
    row({"글의 그림을 찾은 비율", "text to image"}, e.text_to_image);
    row({"쌍", "pairs"}, e.pairs);
    row({"한 번에 견준 쌍", "told apart at once"}, e.batch);
  }
  void add(const SeriesEval& e) {
    row({"평균 제곱 오차", "mean squared error"}, e.mse);
    row({"평균 절대 오차", "mean absolute error"}, e.mae);
    row({"창", "windows"}, e.windows);
    row({"마지막 값을 되풀이하면 (제곱)", "repeating the last value (squared)"}, e.mse_repeat);
    row({"마지막 값을 되풀이하면 (절대)", "repeating the last value (absolute)"}, e.mae_repeat);
  }

 private:
  void loss(double value) { row({"손실", "loss"}, value); }
  void row(Words name, double value, int digits = 4) {
    table_.row({std::string(name(lang_)), fixed(value, digits)});
  }
  void row(Words name, int64_t count) {
    table_.row({std::string(name(lang_)), format_count(count)});
  }

  Lang lang_;
  TextTable table_;
};

}  // namespace

std::string eval_table(const EvalResult& result, Lang lang) {
  EvalTable table(lang);
  std::visit([&](const auto& one) { table.add(one); }, result);
  return table.text();
}

}  // namespace jogak::cli
