#include "app/embed_app.h"

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

Json vector_json(const std::string& text, const std::vector<float>& vector) {
  Json numbers = Json::array();
  for (const float x : vector) numbers.push(shortest_double(x));
  Json out = Json::object();
  out.set("schema", 1).set("text", text);
  return std::move(out.set("embedding", std::move(numbers)));
}

}  // namespace

Embedder::Embedder(const EmbedCommand& c)
    : modules_(read_sentence_modules(c.directory)),
      texts_(open_text_encoder(modules_.model)),
      batch_(c.batch) {
  if (c.pool) modules_.pools = {*c.pool};
  if (c.normalize) modules_.normalize = *c.normalize;
  if (modules_.longest > 0) texts_.longest = std::min(modules_.longest, texts_.model.context);
}

std::vector<std::vector<float>> Embedder::operator()(std::span<const TextLine> lines) const {
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
      if (modules_.normalize) normalize(out[i]);
    }
  });
  return out;
}

TakeLines embed_lines(const EmbedCommand& c) {
  auto embed = std::make_shared<const Embedder>(c);
  auto first = std::make_shared<std::vector<float>>();
  return [c, embed, first](std::span<const TextLine> lines) {
    const auto vectors = (*embed)(lines);
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string& text = lines[i].text;
      if (!c.compare) {
        c.line(c.json ? vector_json(text, vectors[i]).dump() : vector_line(vectors[i]));
        continue;
      }
      if (first->empty()) *first = vectors[i];
      const double near = cosine(*first, vectors[i]);
      Json out = Json::object();
      out.set("schema", 1).set("text", text).set("cosine", near);
      c.line(c.json ? out.dump() : text_of(fixed(near, 4), "\t", text));
    }
    c.flush();
  };
}

}  // namespace jogak
