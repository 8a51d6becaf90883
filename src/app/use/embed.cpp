#include "app/use/embed.h"

#include "app/data/image_files.h"
#include "app/use/image_batches.h"
#include "autograd/autograd.h"
#include "base/format.h"
#include "base/lowercase.h"
#include "base/shortest.h"

namespace jogak {
namespace {

std::string vector_line(const std::vector<float>& vector) {
  std::string out;
  for (const float x : vector) out += (out.empty() ? "" : " ") + shortest(x);
  return out;
}

// Writes what is found of each input; the first is what others are compared with.
class Writer {
 public:
  Writer(EmbedCommand c, const char* kind) : c_(std::move(c)), kind_(kind) {}

  void operator()(const std::string& input, const std::vector<float>& vector) {
    Json out = Json::object();
    out.set("schema", 1).set(kind_, input);
    if (c_.compare) {
      if (first_.empty()) first_ = vector;
      const double near = cosine(first_, vector);
      c_.line(c_.json ? out.set("cosine", near).dump() : text_of(fixed(near, 4), "\t", input));
    } else if (c_.json) {
      Json numbers = Json::array();
      for (const float x : vector) numbers.push(shortest_double(x));
      c_.line(out.set("embedding", std::move(numbers)).dump());
    } else {
      c_.line(vector_line(vector));
    }
  }
  void flush() const { c_.flush(); }

 private:
  EmbedCommand c_;
  const char* kind_;
  std::vector<float> first_;
};

// Texts: lines in, vectors out.
TakeLines text_lines(const EmbedCommand& c, SentenceModules modules, Model model) {
  auto embed = std::make_shared<const TextEmbedder>(c, std::move(modules), std::move(model));
  auto write = std::make_shared<Writer>(c, "text");
  return [embed, write](std::span<const TextLine> lines) {
    const auto vectors = (*embed)(lines);
    for (size_t i = 0; i < lines.size(); ++i) (*write)(lines[i].text, vectors[i]);
    write->flush();
  };
}

// Images: names of files in, vectors out.
TakeLines image_lines(const EmbedCommand& c, Model opened) {
  auto model = std::make_shared<const Model>(std::move(opened));
  auto write = std::make_shared<Writer>(c, "image");
  const std::vector<Pool> pools = {c.pool.value_or(Pool::cls)};
  const bool scaled = c.normalize.value_or(false);
  auto images = std::make_shared<ImageBatches>(
      image_input(c.directory, model->encoder), c.batch,
      [=](const std::vector<std::string>& names, const Tensor& pixels) {
        const NoGrad quiet;
        Run run;
        const Tensor hidden = model->encoder.hidden({.values = pixels}, run);  // [B, T, C]
        const auto values = to_host<float>(hidden);
        const size_t each = values.size() / names.size();
        for (size_t b = 0; b < names.size(); ++b) {
          auto vector = pooled_vector(std::span(values).subspan(b * each, each),
                                      static_cast<size_t>(hidden.dim(2)), pools);
          if (scaled) normalize(vector);
          (*write)(names[b], vector);
        }
      });
  return [images, write](std::span<const TextLine> lines) {
    for (const TextLine& line : lines) images->add_file(line.text);
    images->finish();
    write->flush();
  };
}

}  // namespace

TextEmbedder::TextEmbedder(const EmbedCommand& c, SentenceModules modules, Model model)
    : modules_(std::move(modules)),
      texts_(text_encoder_of(std::move(model), modules_.model)),
      batch_(c.batch) {
  if (c.pool) modules_.pools = {*c.pool};
  if (c.normalize) modules_.normalize = *c.normalize;
  if (modules_.longest > 0) texts_.longest = std::min(modules_.longest, texts_.model.context);
}

std::vector<std::vector<float>> TextEmbedder::operator()(std::span<const TextLine> lines) const {
  const NoGrad quiet;
  std::vector<Encoding> encoded;
  for (const TextLine& line : lines)
    encoded.push_back(texts_.encode(line, modules_.lowercase ? lowercase(line.text) : line.text));
  std::vector<std::vector<float>> out(lines.size());
  for_batches(encoded, batch_, [&](const EncodedBatch& batch) {
    Run run;
    const Tensor hidden = texts_.encoder().hidden(batch.input, run);  // [B, T, C]
    const auto values = to_host<float>(hidden);
    const auto T = static_cast<size_t>(hidden.dim(1)), C = static_cast<size_t>(hidden.dim(2));
    for (size_t b = 0; b < batch.which.size(); ++b) {
      const size_t i = batch.which[b], tokens = encoded[i].ids.size();
      out[i] = pooled_vector(std::span(values).subspan(b * T * C, tokens * C), C, modules_.pools);
      for (const DenseModule& dense : modules_.dense) out[i] = dense(out[i]);
      if (modules_.normalize) normalize(out[i]);
    }
  });
  return out;
}

TakeLines embed_lines(const EmbedCommand& c) {
  SentenceModules modules = read_sentence_modules(c.directory);
  Model model = open_model(modules.model, {.use = WeightUse::as_stored});
  if (model.encodes() && model.encoder.image[0] > 0) return image_lines(c, std::move(model));
  return text_lines(c, std::move(modules), std::move(model));
}

}  // namespace jogak
