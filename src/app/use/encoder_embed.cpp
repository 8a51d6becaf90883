// A vector for each text or image.
#include <algorithm>

#include "app/use/encoder_parts.h"
#include "autograd/autograd.h"
#include "base/lowercase.h"
#include "base/shortest.h"

namespace jogak {
namespace {

// What is asked for, else what the directory says.
SentenceModules changed(SentenceModules modules, const EmbedOptions& o) {
  if (o.pool) modules.pools = {*o.pool};
  if (o.normalize) modules.normalize = *o.normalize;
  return modules;
}

}  // namespace

std::vector<InputVector> Encoder::embed(std::span<const TextLine> inputs,
                                        const EmbedOptions& o) const {
  const NoGrad quiet;
  const auto width = static_cast<size_t>(parts_->encoder().width);
  std::vector<InputVector> out;
  const bool matches = model().matches();
  ensure<UsageError>(matches || !o.texts, "embed: --text is for models that match images and ",
                     "texts, such as clip; ", parts_->directory, " reads only one of them");
  if (matches) {
    ensure<UsageError>(!o.pool, "embed: --pool does not go with a ", model().model_type,
                       " model, which has vectors of its own");
    const auto take = [&](const std::string& name, bool image, std::span<const float> vector) {
      out.push_back({name, image, {vector.begin(), vector.end()}});
      if (o.normalize.value_or(true)) normalize(out.back().vector);
    };
    if (!o.texts) {
      parts_->run_images(
          inputs, o.batch, parts_->encoder().pooled,
          [&](const std::string& name, std::span<const float> v) { take(name, true, v); });
      return out;
    }
    const auto values = to_host<float>(parts_->text_vectors(inputs, o.batch, o.stop));
    const size_t each = values.size() / std::max<size_t>(inputs.size(), 1);
    for (size_t i = 0; i < inputs.size(); ++i)
      take(inputs[i].text, false, std::span(values).subspan(i * each, each));
    return out;
  }
  if (reads_images()) {
    const std::vector<Pool> pools = {o.pool.value_or(Pool::cls)};
    parts_->run_images(inputs, o.batch, parts_->encoder().hidden,
                       [&](const std::string& name, std::span<const float> rows) {
                         out.push_back({name, true, pooled_vector(rows, width, pools)});
                         if (o.normalize.value_or(false)) normalize(out.back().vector);
                       });
    return out;
  }
  const SentenceModules modules = changed(parts_->modules, o);
  const int64_t most = std::min(modules.longest, model().context);
  std::vector<Encoding> encoded;
  for (const TextLine& line : inputs) {
    encoded.push_back(parts_->texts->encode(
        line, modules.lowercase ? lowercase(line.text) : line.text, nullptr, most));
    out.push_back({line.text});
  }
  for_batches(encoded, o.batch, [&](const EncodedBatch& batch) {
    Run run;
    run.stop = o.stop;
    const Tensor hidden = parts_->encoder().hidden(batch.input, run);  // [B, T, C]
    const auto values = to_host<float>(hidden);
    const auto T = static_cast<size_t>(hidden.dim(1));
    for (size_t b = 0; b < batch.which.size(); ++b) {
      const size_t i = batch.which[b], tokens = encoded[i].ids.size();
      std::vector<float>& vector = out[i].vector;
      vector = pooled_vector(std::span(values).subspan(b * T * width, tokens * width), width,
                             modules.pools);
      for (const DenseModule& dense : modules.dense) vector = dense(vector);
      if (modules.normalize) normalize(vector);
    }
  });
  return out;
}

Similarity similarity(const std::vector<float>& to, const InputVector& of) {
  return {of.input, of.image, cosine(to, of.vector)};
}

Json to_json(const Similarity& similarity) {
  Json out = Json::object();
  out.set("schema", 1).set(similarity.image ? "image" : "text", similarity.input);
  return std::move(out.set("cosine", similarity.cosine));
}

Json to_json(const InputVector& embedding) {
  Json numbers = Json::array();
  for (const float x : embedding.vector) numbers.push(shortest_double(x));
  Json out = Json::object();
  out.set("schema", 1).set(embedding.image ? "image" : "text", embedding.input);
  return std::move(out.set("embedding", std::move(numbers)));
}

int64_t Encoder::count_tokens(std::span<const std::string> texts) const {
  int64_t out = 0;
  if (!parts_->texts) return out;
  const EncodeOptions options{.most = static_cast<size_t>(parts_->texts->longest)};
  for (const std::string& text : texts)
    out += std::ssize(parts_->texts->tokenizer.encode_ids(text, options));
  return out;
}

}  // namespace jogak
