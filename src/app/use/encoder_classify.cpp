// Labels of texts, of each of their tokens, or of images.
#include <algorithm>

#include "app/use/encoder_parts.h"
#include "app/use/predictions.h"
#include "autograd/autograd.h"
#include "base/utf8.h"
#include "data/tag_data.h"

namespace jogak {
namespace {

// What stands between blanks.
struct ReadWords {
  std::vector<std::string> texts;
  std::vector<Span> spans;  // in characters
  std::vector<int64_t> at;  // of each character, its word; -1: a blank
};

// Those that begin within the first characters.
ReadWords read_words(std::string_view text, size_t characters) {
  ReadWords out;
  for (size_t byte = 0; byte < text.size();) {
    const auto size = static_cast<size_t>(utf8::decode(text, byte).size);
    const bool blank = text[byte] == ' ' || text[byte] == '\t';
    const size_t place = out.at.size();
    if (blank && place >= characters) break;
    if (!blank && (place == 0 || out.at.back() < 0)) {
      out.texts.emplace_back();
      out.spans.push_back({place, place});
    }
    out.at.push_back(blank ? -1 : static_cast<int64_t>(out.texts.size()) - 1);
    if (!blank) {
      out.texts.back() += text.substr(byte, size);
      out.spans.back().to = place + 1;
    }
    byte += size;
  }
  return out;
}

Encoding encoded(const TextReader& reader, const TextLine& line, bool pair) {
  if (!pair) return reader.encode(line, line.text);
  const size_t tab = line.text.find('\t');
  ensure<FormatError>(tab != std::string::npos, line.name,
                      ": found no tab, wanted two texts with a tab between them");
  const std::string second = line.text.substr(tab + 1);
  return reader.encode(line, std::string_view(line.text).substr(0, tab), &second);
}

LabelScore named(const Labels& labels, const Prediction& one) {
  return {labels.names[static_cast<size_t>(one.index)], one.score};
}

std::vector<LabelScore> best_labels(std::span<const float> logits, const Labels& labels,
                                    size_t top_k) {
  std::vector<LabelScore> out;
  for (const Prediction& one : label_scores(logits, labels, top_k))
    out.push_back(named(labels, one));
  return out;
}

std::vector<TokenLabel> token_labels(const std::string& line, const Encoding& text,
                                     std::span<const float> logits, const Labels& labels,
                                     bool by_word) {
  const auto count = static_cast<size_t>(labels.count());
  size_t characters = 0;
  for (const Span& one : text.offsets) characters = std::max(characters, one.to);
  const ReadWords words = by_word ? read_words(line, characters) : ReadWords{};
  const std::vector<int64_t> begun = words_begun(text, words.at);
  std::vector<TokenLabel> out;
  for (size_t t = 0; t < text.ids.size(); ++t) {
    if (text.special_mask[t] || (by_word && begun[t] < 0)) continue;
    const Prediction best = likeliest_of(logits.subspan(t * count, count), 1)[0];
    const auto word = static_cast<size_t>(begun[t]);
    const Span span = by_word ? words.spans[word] : text.offsets[t];
    out.push_back(
        {named(labels, best), by_word ? words.texts[word] : text.tokens[t], span.from, span.to});
  }
  return out;
}

// Odds [T] as scores of two labels, [T, 2].
std::vector<float> both_labels(std::span<const float> odds) {
  std::vector<float> out;
  for (const float x : odds) out.insert(out.end(), {0, x});
  return out;
}

}  // namespace

// Labels that the model learnt, or any sentences: each is read once.
Encoder::Parts::Pass Encoder::Parts::labelling(const ClassifyOptions& o) const {
  if (o.labels.empty()) return encoder().predict;
  std::vector<TextLine> lines;
  for (const std::string& label : o.labels) lines.push_back({label, "--label " + label});
  return
      [this, sentences = text_vectors(lines, o.batch, o.stop)](const EncoderInput& in, Run& run) {
        return model.match.scores(model.match.image(in.values, run), sentences);
      };
}

void Encoder::check(const ClassifyOptions& o) const {
  const std::string& directory = parts_->directory;
  const EncoderTask task = parts_->encoder().task;
  const bool matches = model().matches();
  ensure<UsageError>(matches || o.labels.empty(), "classify: --label is for models that match ",
                     "images and texts, such as clip; ", directory, " has labels of its own");
  ensure<UsageError>(!matches || o.labels.size() >= 2, "classify: found ", o.labels.size(),
                     " --label, wanted two or more: ", directory,
                     " tells which of them fits an image");
  if (reads_images()) {
    ensure<FormatError>(matches || task == EncoderTask::classify, directory,
                        ": this model has no labels, wanted a ViTForImageClassification");
    ensure<UsageError>(!o.pair, "classify: --pair is for texts; ", directory, " reads images");
    return;
  }
  ensure<FormatError>(task == EncoderTask::classify || labels_tokens(), directory,
                      ": this model has no labels; ", command_for(model()), " runs it");
  ensure<UsageError>(task == EncoderTask::classify || o.top_k == 1,
                     "classify: --top-k is for models that label whole texts; ", directory,
                     " labels tokens, each with its likeliest label");
  ensure<UsageError>(labels_tokens() || !o.words, "classify: --words is for models ",
                     "that label tokens; ", directory, " labels whole texts");
  ensure<UsageError>(!o.words || !o.pair, "classify: --words does not go with --pair");
}

std::vector<Classification> Encoder::classify(std::span<const TextLine> inputs,
                                              const ClassifyOptions& o) const {
  check(o);
  const NoGrad quiet;
  const EncoderModel& model = parts_->encoder();
  std::vector<Classification> out;
  if (reads_images()) {
    const Labels labels = o.labels.empty() ? model.labels : Labels{o.labels, Problem::single_label};
    parts_->run_images(inputs, o.batch, parts_->labelling(o),
                       [&](const std::string& name, std::span<const float> logits) {
                         out.push_back({name, true, best_labels(logits, labels, o.top_k)});
                       });
    return out;
  }
  std::vector<Encoding> texts;
  for (const TextLine& line : inputs) {
    texts.push_back(encoded(*parts_->texts, line, o.pair));
    out.push_back({line.text});
  }
  for_batches(texts, o.batch, [&](const EncodedBatch& batch) {
    Run run;
    run.stop = o.stop;
    auto values = to_host<float>(model.predict(batch.input, run));
    if (model.task == EncoderTask::detect) values = both_labels(values);
    const size_t each = values.size() / batch.which.size();
    for (size_t b = 0; b < batch.which.size(); ++b) {
      const auto logits = std::span(values).subspan(b * each, each);
      Classification& one = out[batch.which[b]];
      if (labels_tokens())
        one.tokens = token_labels(one.input, texts[batch.which[b]], logits, model.labels, o.words);
      else
        one.labels = best_labels(logits, model.labels, o.top_k);
    }
  });
  return out;
}

Json to_json(const Classification& classification) {
  Json list = Json::array();
  for (const LabelScore& one : classification.labels)
    list.push(prediction_json(one.label, one.score));
  for (const TokenLabel& token : classification.tokens) {
    Json one = prediction_json(token.best.label, token.best.score);
    one.set("word", token.word);
    list.push(std::move(one.set("start", token.start).set("end", token.end)));
  }
  Json out = Json::object();
  out.set("schema", 1).set(classification.image ? "image" : "text", classification.input);
  return std::move(out.set("predictions", std::move(list)));
}

}  // namespace jogak
