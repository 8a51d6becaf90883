#include "app/use/classify_images.h"

#include "app/data/image_files.h"
#include "app/use/image_batches.h"
#include "app/use/predictions.h"
#include "autograd/autograd.h"
#include "base/format.h"

namespace jogak {
namespace {

class ImageClassifier {
 public:
  ImageClassifier(const ClassifyCommand& c, Model model)
      : c_(c),
        model_(std::move(model)),
        images_(image_input(c.directory, model_.encoder), c.batch,
                [this](const std::vector<std::string>& names, const Tensor& pixels) {
                  run(names, pixels);
                }) {
    ensure<FormatError>(model_.encoder.task == EncoderTask::classify, c.directory,
                        ": this model has no labels, wanted a ViTForImageClassification");
    ensure<UsageError>(!c.pair, "classify: --pair is for texts; ", c.directory, " reads images");
  }

  void write(std::span<const TextLine> lines) {
    for (const TextLine& line : lines) images_.add_file(line.text);
    images_.finish();
    c_.flush();
  }

 private:
  void run(const std::vector<std::string>& names, const Tensor& pixels) const {
    const NoGrad quiet;
    Run pass;
    const auto logits = to_host<float>(model_.encoder.predict({.values = pixels}, pass));
    const size_t labels = logits.size() / names.size();
    for (size_t b = 0; b < names.size(); ++b)
      write_image(names[b], std::span(logits).subspan(b * labels, labels));
  }

  void write_image(const std::string& name, std::span<const float> logits) const {
    const Labels& labels = model_.encoder.labels;
    Json list = Json::array();
    for (const Prediction& one : label_scores(logits, labels, c_.top_k)) {
      const std::string& label = labels.names[static_cast<size_t>(one.index)];
      list.push(prediction_json(label, one.score));
      if (!c_.json) c_.line(text_of(label, "\t", fixed(one.score, 4), "\t", name));
    }
    if (!c_.json) return;
    Json out = Json::object();
    out.set("schema", 1).set("image", name);
    c_.line(out.set("predictions", std::move(list)).dump());
  }

  ClassifyCommand c_;
  Model model_;
  ImageBatches images_;
};

}  // namespace

TakeLines classify_image_lines(const ClassifyCommand& c, Model model) {
  auto classifier = std::make_shared<ImageClassifier>(c, std::move(model));
  return [classifier](std::span<const TextLine> lines) { classifier->write(lines); };
}

}  // namespace jogak
