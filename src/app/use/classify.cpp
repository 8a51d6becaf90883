#include "app/use/classify.h"

#include "app/use/classify_images.h"
#include "app/use/predictions.h"
#include "autograd/autograd.h"
#include "base/format.h"
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

ReadWords read_words(std::string_view text) {
  ReadWords out;
  for (size_t byte = 0; byte < text.size();) {
    const auto size = static_cast<size_t>(utf8::decode(text, byte).size);
    const bool blank = text[byte] == ' ' || text[byte] == '\t';
    const size_t place = out.at.size();
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

class Classifier {
 public:
  Classifier(const ClassifyCommand& c, Model model)
      : c_(c), texts_(text_encoder_of(std::move(model), c.directory)) {
    const EncoderTask task = texts_.encoder().task;
    ensure<FormatError>(task == EncoderTask::classify || task == EncoderTask::tag, c.directory,
                        ": this model has no labels; ", command_for(texts_.model), " runs it");
    ensure<UsageError>(task == EncoderTask::classify || c.top_k == 1,
                       "classify: --top-k is for models that label whole texts; ", c.directory,
                       " labels tokens, each with its likeliest label");
    ensure<UsageError>(task == EncoderTask::tag || !c.words, "classify: --words is for models ",
                       "that label tokens; ", c.directory, " labels whole texts");
    ensure<UsageError>(!c.words || !c.pair, "classify: --words does not go with --pair");
  }

  void write(std::span<const TextLine> lines) const {
    const NoGrad quiet;
    std::vector<Encoding> encoded;
    for (const TextLine& line : lines) encoded.push_back(encode(line));
    std::vector<std::vector<float>> logits(lines.size());
    for_batches(encoded, c_.batch, [&](const EncodedBatch& batch) {
      Run run;
      const auto values = to_host<float>(texts_.encoder().predict(batch.input, run));
      const size_t each = values.size() / batch.which.size();
      for (size_t b = 0; b < batch.which.size(); ++b)
        logits[batch.which[b]].assign(values.begin() + static_cast<ptrdiff_t>(b * each),
                                      values.begin() + static_cast<ptrdiff_t>((b + 1) * each));
    });
    for (size_t i = 0; i < lines.size(); ++i)
      texts_.encoder().task == EncoderTask::tag ? write_tags(lines[i], encoded[i], logits[i])
                                                : write_labels(lines[i], logits[i]);
    c_.flush();
  }

 private:
  Encoding encode(const TextLine& line) const {
    if (!c_.pair) return texts_.encode(line, line.text);
    const size_t tab = line.text.find('\t');
    ensure<FormatError>(tab != std::string::npos, line.name,
                        ": found no tab, wanted two texts with a tab between them");
    const std::string second = line.text.substr(tab + 1);
    return texts_.encode(line, std::string_view(line.text).substr(0, tab), &second);
  }

  const std::string& name(int64_t label) const {
    return texts_.encoder().labels.names[static_cast<size_t>(label)];
  }

  void write_labels(const TextLine& line, std::span<const float> logits) const {
    const auto best = label_scores(logits, texts_.encoder().labels, c_.top_k);
    Json list = Json::array();
    for (const Prediction& one : best) {
      list.push(prediction_json(name(one.index), one.score));
      if (!c_.json) c_.line(text_of(name(one.index), "\t", fixed(one.score, 4), "\t", line.text));
    }
    write_json(line, std::move(list));
  }

  void write_tags(const TextLine& line, const Encoding& text, std::span<const float> logits) const {
    const auto labels = static_cast<size_t>(texts_.encoder().labels.count());
    const ReadWords words = c_.words ? read_words(line.text) : ReadWords{};
    const std::vector<int64_t> begun = words_begun(text, words.at);
    Json list = Json::array();
    for (size_t t = 0; t < text.ids.size(); ++t) {
      if (text.special_mask[t] || (c_.words && begun[t] < 0)) continue;
      const Prediction best = likeliest_of(logits.subspan(t * labels, labels), 1)[0];
      const auto word = static_cast<size_t>(begun[t]);
      const std::string& shown = c_.words ? words.texts[word] : text.tokens[t];
      const Span span = c_.words ? words.spans[word] : text.offsets[t];
      Json one = prediction_json(name(best.index), best.score);
      one.set("word", shown);
      list.push(std::move(one.set("start", span.from).set("end", span.to)));
      if (!c_.json) c_.line(text_of(shown, "\t", name(best.index), "\t", fixed(best.score, 4)));
    }
    if (!c_.json) c_.line("");
    write_json(line, std::move(list));
  }

  void write_json(const TextLine& line, Json predictions) const {
    if (!c_.json) return;
    Json out = Json::object();
    out.set("schema", 1).set("text", line.text);
    c_.line(out.set("predictions", std::move(predictions)).dump());
  }

  ClassifyCommand c_;
  TextEncoder texts_;
};

}  // namespace

TakeLines classify_lines(const ClassifyCommand& c) {
  Model model = open_model(c.directory, {.use = WeightUse::as_stored});
  if (model.encodes() && model.encoder.image[0] > 0)
    return classify_image_lines(c, std::move(model));
  auto classifier = std::make_shared<const Classifier>(c, std::move(model));
  return [classifier](std::span<const TextLine> lines) { classifier->write(lines); };
}

}  // namespace jogak
