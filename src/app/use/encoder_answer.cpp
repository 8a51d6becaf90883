// Answers that stand in the text, and texts in the order of how well they answer.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/use/encoder_parts.h"
#include "autograd/autograd.h"

namespace jogak {
namespace {

// What sentence-transformers does to the score of a cross-encoder: a sigmoid unless the
// configuration says otherwise.
bool squashes(const Json& config, const std::string& file) {
  constexpr const char *kOld = "sbert_ce_default_activation_function", *kNew = "activation_fn";
  const Fields fields(config, file);
  const auto read = [](const Fields& from, const char* key) {
    const std::string name = from.text_or(key, "Sigmoid");
    if (!name.ends_with("Sigmoid") && !name.ends_with("Identity"))
      from.wrong(from.at(key), key, "Sigmoid or Identity");
    return name.ends_with("Sigmoid");
  };
  if (fields.has("sentence_transformers"))
    return read(fields.object("sentence_transformers"), kNew);
  return read(fields, kOld);
}

}  // namespace

void Encoder::check(const AnswerOptions&) const {
  ensure<FormatError>(parts_->encoder().task == EncoderTask::answer, parts_->directory,
                      ": this model answers no questions; ", command_for(model()), " runs it");
}

void Encoder::check(const RankOptions&) const {
  const EncoderModel& m = parts_->encoder();
  ensure<FormatError>(parts_->texts && m.task == EncoderTask::classify && m.labels.count() == 1,
                      parts_->directory, ": this model gives no score to a pair of texts, wanted ",
                      "one with a single label; ", command_for(model()), " runs it");
}

std::vector<AnsweredText> Encoder::answer(const std::string& question,
                                          std::span<const TextLine> texts,
                                          const AnswerOptions& o) const {
  check(o);
  const NoGrad quiet;
  std::vector<AnsweredText> out;
  std::vector<std::vector<QuestionWindow>> windows;
  std::vector<Encoding> encoded;
  for (const TextLine& line : texts) {
    windows.push_back(question_windows(parts_->texts->tokenizer, question, line.text,
                                       static_cast<size_t>(parts_->texts->longest)));
    for (const QuestionWindow& one : windows.back()) encoded.push_back(one.text);
  }
  std::vector<std::vector<float>> logits(encoded.size());
  for_batches(encoded, o.batch, [&](const EncodedBatch& batch) {
    Run run;
    run.stop = o.stop;
    const auto values = to_host<float>(parts_->encoder().predict(batch.input, run));  // [B, T, 2]
    const size_t each = values.size() / batch.which.size();
    for (size_t b = 0; b < batch.which.size(); ++b) {
      const auto row = std::span(values).subspan(b * each, each);
      logits[batch.which[b]].assign(row.begin(), row.end());
    }
  });
  size_t from = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t count = windows[i].size();
    out.push_back({question, texts[i].text,
                   best_answers(texts[i].text, windows[i], std::span(logits).subspan(from, count),
                                {o.top_k, o.tokens})});
    from += count;
  }
  return out;
}

std::vector<RankedText> Encoder::rank(const std::string& query, std::span<const TextLine> texts,
                                      const RankOptions& o) const {
  check(o);
  const NoGrad quiet;
  const bool squash = squashes(model().config, parts_->directory);
  std::vector<RankedText> out;
  std::vector<Encoding> pairs;
  for (const TextLine& line : texts) {
    pairs.push_back(parts_->texts->encode({query, line.name}, query, &line.text));
    out.push_back({line.text, out.size()});
  }
  for_batches(pairs, o.batch, [&](const EncodedBatch& batch) {
    Run run;
    run.stop = o.stop;
    const auto scores = to_host<float>(parts_->encoder().predict(batch.input, run));  // [B, 1]
    for (size_t b = 0; b < batch.which.size(); ++b) {
      const double x = double{scores[b]};
      out[batch.which[b]].score = squash ? 1 / (1 + std::exp(-x)) : x;
    }
  });
  std::stable_sort(out.begin(), out.end(),
                   [](const RankedText& a, const RankedText& b) { return a.score > b.score; });
  return out;
}

Json to_json(const AnsweredText& text) {
  Json list = Json::array();
  for (const Answer& one : text.answers) {
    Json answer = Json::object();
    answer.set("answer", one.text).set("score", one.score);
    list.push(std::move(answer.set("start", one.start).set("end", one.end)));
  }
  Json out = Json::object();
  out.set("schema", 1).set("question", text.question).set("text", text.text);
  return std::move(out.set("answers", std::move(list)));
}

Json to_json(const std::string& query, std::span<const RankedText> ranked) {
  Json list = Json::array();
  for (const RankedText& one : ranked) {
    Json result = Json::object();
    result.set("index", one.index).set("score", one.score);
    list.push(std::move(result.set("text", one.text)));
  }
  Json out = Json::object();
  out.set("schema", 1).set("query", query);
  return std::move(out.set("results", std::move(list)));
}

}  // namespace jogak
