#include "app/use/encoder.h"

#include <algorithm>
#include <iterator>

#include "app/data/image_files.h"
#include "app/use/encoder_parts.h"
#include "app/use/image_batches.h"
#include "autograd/autograd.h"

namespace jogak {

Encoder::Parts::Parts(const std::string& where)
    : directory(where),
      modules(read_sentence_modules(where)),
      model(open_model(modules.model, {.use = WeightUse::as_stored})) {
  const bool reads_files = model.encodes() && model.encoder.image[0] > 0;
  ensure<FormatError>(reads_files || (model.encodes() && model.vocab > 0), modules.model, ": a ",
                      model.model_type, " model, wanted one that reads texts, such as bert; ",
                      command_for(model), " runs this one");
  if (reads_files)
    images = image_input(modules.model, model.encoder);
  else
    texts = open_text_reader(model, modules.model);
}

void Encoder::Parts::run_images(std::span<const TextLine> files, size_t batch, const Pass& pass,
                                const Take& take) const {
  const NoGrad quiet;
  ImageBatches batches(images, batch,
                       [&](const std::vector<std::string>& names, const Tensor& pixels) {
                         Run run;
                         const auto values = to_host<float>(pass({.values = pixels}, run));
                         const size_t each = values.size() / names.size();
                         for (size_t b = 0; b < names.size(); ++b)
                           take(names[b], std::span(values).subspan(b * each, each));
                       });
  for (const TextLine& file : files) batches.add_file(file.text);
  batches.finish();
}

Tensor Encoder::Parts::text_vectors(std::span<const TextLine> lines, size_t batch,
                                    const std::atomic<bool>* stop) const {
  const NoGrad quiet;
  const TextReader reader = open_text_reader(model, modules.model);
  std::vector<Encoding> encoded;
  for (const TextLine& line : lines) encoded.push_back(reader.encode(line, line.text));
  std::vector<float> out;
  for_batches(encoded, batch, [&](const EncodedBatch& one) {
    Run run;
    run.stop = stop;
    const Tensor vectors = model.match.text(one.input.values, one.input.mask, run);
    const auto values = to_host<float>(vectors);
    const auto width = static_cast<size_t>(vectors.dim(1));
    out.resize(encoded.size() * width);
    for (size_t b = 0; b < one.which.size(); ++b)
      std::copy_n(values.begin() + static_cast<ptrdiff_t>(b * width), width,
                  out.begin() + static_cast<ptrdiff_t>(one.which[b] * width));
  });
  const auto count = static_cast<int64_t>(lines.size());
  return from_values(out, {count, std::ssize(out) / std::max<int64_t>(count, 1)},
                     model.store->device());
}

Encoder::Encoder(const std::string& directory) : parts_(std::make_unique<Parts>(directory)) {}
Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

const Model& Encoder::model() const { return parts_->model; }
bool Encoder::reads_images() const { return !parts_->texts; }
bool Encoder::labels_tokens() const {
  const EncoderTask task = parts_->encoder().task;
  return task == EncoderTask::tag || task == EncoderTask::detect;
}

}  // namespace jogak
