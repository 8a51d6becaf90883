// Scores of a model that writes no text: masked words, labels of texts and images, forecasts.
#include "app/data/bert_text.h"
#include "app/data/captions.h"
#include "app/data/encoder_data.h"
#include "app/data/image_files.h"
#include "app/data/labelled.h"
#include "app/data/text_data.h"
#include "app/measure/eval_parts.h"
#include "app/use/encoder.h"
#include "base/file.h"
#include "base/progress.h"
#include "data/line_data.h"
#include "data/make/series.h"
#include "score/answers.h"
#include "text/beginning.h"

namespace jogak {
namespace {

EncoderScores scores_of(const EvalOptions& c, const Model& model, int64_t all, const BatchAt& at) {
  const int64_t items = scored(all, c);
  Run run;
  run.stop = c.stop, run.probe = c.probe;
  Progress progress(progress_title(c), items, c.lang);
  EncoderScores out =
      score_encoder(model, items, c.batch, at, run, [&](int64_t done) { progress.update(done); });
  progress.finish();
  return out;
}

LabelEval label_eval(const EncoderScores& scores) {
  return {scores.loss, scores.classes.accuracy(), scores.classes.macro_f1, scores.classes.examples};
}

TextEval evaluate_masked(const EvalTask& task, const Model& model) {
  const EvalOptions& c = task.options;
  const Tokenizer tokenizer = Tokenizer::load(c.directory);
  const Masking masking = masking_for(tokenizer, task.data.mask_share, c.seed);
  const auto data = [&] {
    if (task.lines())
      return MaskedData(c.make.empty() ? read_lines(c.data, "", c.longest)
                                       : generated_lines(c.make, c.count, c.seed, true),
                        c.make.empty() ? c.data : c.make, plain_encode(tokenizer), model.context,
                        masking);
    TokenSource source;
    source.text = find_data(c.data);
    source.encode = plain_encode(tokenizer);
    source.vocab_size = tokenizer.vocab_size();
    source.from = c.from;
    return MaskedData(TokenFile(source), model.context, masking);
  }();
  const EncoderScores scores = scores_of(
      c, model, data.eval_size(),
      [&](int64_t first, int64_t count) { return encoder_batch(data.eval_batch(first, count)); });
  return {scores.loss, scores.targets};
}

LabelEval evaluate_texts(const EvalTask& task, const Model& model) {
  const EvalOptions& c = task.options;
  const Tokenizer tokenizer = Tokenizer::load(c.directory);
  const LabelledTexts texts =
      c.make.empty() ? read_labelled_texts(
                           c.data, {task.data.text_column, task.data.label_column, {}, c.longest})
                     : generated_texts(c.make, c.count, c.seed, true);
  const LabelData data(texts.texts, class_ids(texts, model.encoder.labels.names),
                       [&](std::string_view text) {
                         return beginning_ids(tokenizer, text, static_cast<size_t>(model.context),
                                              {.special_as_text = true});
                       },
                       {model.context, token_with_role(tokenizer, "pad_token", "[PAD]")});
  return label_eval(scores_of(c, model, data.size(), [&](int64_t first, int64_t count) {
    return encoder_batch(data.eval_batch(first, count));
  }));
}

SpanEval evaluate_answers(const EvalOptions& c, const Model& model) {
  const QuestionTexts texts =
      c.make.empty() ? read_questions(c.data) : generated_questions(c.make, c.count, c.seed, true);
  const Tokenizer tokenizer = Tokenizer::load(c.directory);
  const SpanData data(texts, tokenizer,
                      {model.context, token_with_role(tokenizer, "pad_token", "[PAD]")});
  const EncoderScores scores = scores_of(c, model, data.size(), [&](int64_t first, int64_t count) {
    return encoder_batch(data.eval_batch(first, count));
  });
  SpanEval out{scores.loss, 0, 0, static_cast<int64_t>(texts.questions.size())};
  if (c.loss_only) return out;
  const Encoder encoder(c.directory);
  AnswerScore score;
  for (const Question& q : texts.questions) {
    const TextLine line{q.context, texts.name};
    const std::vector<AnsweredText> said = encoder.answer(q.question, {&line, 1}, {.stop = c.stop});
    score.add(said[0].answers.empty() ? "" : said[0].answers[0].text, q.answers);
  }
  out.exact_match = score.exact_match(), out.f1 = score.f1();
  return out;
}

TagEval evaluate_tags(const EvalOptions& c, const Model& model) {
  ensure<UsageError>(c.make.empty(), "eval: ", c.make, " has no words with tags; wanted a file");
  const Tokenizer tokenizer = Tokenizer::load(c.directory);
  const TagData data =
      tag_data(read_tagged_texts(c.data), model.encoder.labels.names, tokenizer, model.context);
  const EncoderScores scores = scores_of(c, model, data.size(), [&](int64_t first, int64_t count) {
    return encoder_batch(data.eval_batch(first, count));
  });
  TagEval out{scores.loss, scores.classes.accuracy(), scores.f1(), {}, scores.targets};
  if (scores.by_entities)
    out.entities = {scores.entities.precision(), scores.entities.recall(), scores.entities.wanted};
  return out;
}

LabelEval evaluate_images(const EvalOptions& c, const Model& model) {
  const ImageInput input = image_input(c.directory, model.encoder);
  ensure<UsageError>(c.make.empty() || c.make == "shapes", "eval: ", c.make,
                     " has no images; wanted shapes");
  const ImageSet set = c.make.empty()
                           ? open_images(c.data, c.labels, input, model.encoder.labels.names)
                           : generated_images(c.count, c.seed, true, input);
  return label_eval(scores_of(c, model, set.size(), [&](int64_t first, int64_t count) {
    return encoder_batch(set.eval_batch(first, count));
  }));
}

MatchEval evaluate_captions(const EvalTask& task, const Model& model) {
  const EvalOptions& c = task.options;
  ensure<UsageError>(c.make.empty() || c.make == "shapes", "eval: ", c.make,
                     " has no images; wanted shapes");
  const Captions captions =
      c.make.empty() ? read_captions(c.data, task.data) : generated_captions(c.count, c.seed, true);
  const CaptionData data = caption_data(captions, image_input(c.directory, model.encoder),
                                        Tokenizer::load(c.directory), model.match.context);
  Run run;
  run.stop = c.stop, run.probe = c.probe;
  Progress progress(c.lang == Lang::ko ? "평가" : "evaluating", data.size(), c.lang);
  const MatchScores found =
      score_matches(model, data, c.batch, run, [&](int64_t done) { progress.update(done); });
  progress.finish();
  return {found.loss, found.image_to_text(), found.text_to_image(), found.pairs, c.batch};
}

// What a forecast must be better than: the last value, again and again.
void add_repeat(const SeriesBatch& b, ForecastScore& score) {
  const std::vector<float> past = to_host<float>(b.past), future = to_host<float>(b.future);
  const auto rows = static_cast<size_t>(b.past.dim(0)),
             context = static_cast<size_t>(b.past.dim(1));
  const auto width = static_cast<size_t>(b.past.dim(2)),
             horizon = static_cast<size_t>(b.future.dim(1));
  std::vector<float> repeated;
  for (size_t row = 0; row < rows; ++row)
    for (size_t h = 0; h < horizon; ++h)
      for (size_t i = 0; i < width; ++i)
        repeated.push_back(past[(row * context + context - 1) * width + i]);
  score.add(repeated, future);
}

SeriesData open_series(const EvalTask& task, const Model& model) {
  const EvalOptions& c = task.options;
  const std::string kept = join_path(c.directory, "series.json");
  SeriesData::Options options{model.context, model.encoder.horizon, {}};
  SeriesScaler scaler;
  const bool known = file_exists(kept);
  if (known) {
    const Json json = read_json_file(kept);
    scaler = read_scaler(json, kept);
    options.borders = read_borders(json, kept);
  }
  const SeriesBorders& b = options.borders;
  const int64_t rows = b.by_share() ? c.count : b.train + b.valid + b.test;
  ensure<UsageError>(c.make.empty() || c.make == "series", "eval: ", c.make,
                     " has no series; wanted series");
  SeriesFile file = c.make.empty()
                        ? read_series(c.data, {task.data.date_column, split_list(task.data.series),
                                               missing_named(task.data.missing)})
                        : SeriesFile{"series", {make_series(rows, c.seed, Split::train)}, false};
  ensure<FormatError>(file.panels[0].columns() == model.encoder.channels, file.name, ": found ",
                      file.panels[0].columns(), " series, wanted ", model.encoder.channels,
                      " as the model has");
  return SeriesData(std::move(file), options, known ? &scaler : nullptr);
}

SeriesEval evaluate_series(const EvalTask& task, const Model& model) {
  const EvalOptions& c = task.options;
  const SeriesData data = open_series(task, model);
  const SeriesPart part = c.part == "train"   ? SeriesPart::train
                          : c.part == "valid" ? SeriesPart::valid
                                              : SeriesPart::test;
  const int64_t windows = data.windows(part);
  ForecastScore repeat;
  const EncoderScores scores = scores_of(c, model, windows, [&](int64_t first, int64_t count) {
    const SeriesBatch batch = data.eval_batch(part, first, count);
    add_repeat(batch, repeat);
    return encoder_batch(batch);
  });
  return {scores.values.mse(), scores.values.mae(), windows, c.part, repeat.mse(), repeat.mae()};
}

}  // namespace

EvalResult evaluate_encoder(const EvalTask& task, const Model& model) {
  const EvalOptions& c = task.options;
  if (model.matches()) return evaluate_captions(task, model);
  switch (model.encoder.task) {
    case EncoderTask::fill: return evaluate_masked(task, model);
    case EncoderTask::forecast: return evaluate_series(task, model);
    case EncoderTask::classify:
      return model.vocab > 0 ? evaluate_texts(task, model) : evaluate_images(c, model);
    case EncoderTask::tag: return evaluate_tags(c, model);
    case EncoderTask::answer: return evaluate_answers(c, model);
    case EncoderTask::detect:
    case EncoderTask::embed: break;
  }
  fail<FormatError>(c.directory, ": this ", model.model_type,
                    " model has no head that can be scored here");
}

}  // namespace jogak
