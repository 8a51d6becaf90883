// What an open encoder consists of, for the files that run it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/use/encoder.h"
#include "app/use/text_reader.h"
#include "data/image_data.h"

namespace jogak {

struct Encoder::Parts {
  std::string directory;  // as it was named
  SentenceModules modules;
  Model model;
  std::optional<TextReader> texts;  // or else images; a model that matches both opens as images
  ImageInput images;

  explicit Parts(const std::string& directory);
  const EncoderModel& encoder() const { return model.encoder; }

  // Files of images through `pass`: of each image its name and what the model made of it.
  using Pass = std::function<Tensor(const EncoderInput&, Run&)>;  // [B, ..]
  Pass labelling(const ClassifyOptions& options) const;           // of images: [B, labels]
  // Vectors of texts by a model that matches them with images: [texts, D].
  Tensor text_vectors(std::span<const TextLine> lines, size_t batch,
                      const std::atomic<bool>* stop) const;

  using Take = std::function<void(const std::string& name, std::span<const float> values)>;
  void run_images(std::span<const TextLine> files, size_t batch, const Pass& pass,
                  const Take& take) const;
};

}  // namespace jogak
