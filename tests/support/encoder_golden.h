// An encoder's golden, opened: the model, what it reads and what it should say.
#pragma once

#include <string>

#include "io/model_files.h"
#include "io/safetensors.h"
#include "models/families.h"
#include "nn/spans.h"
#include "ops/reshape.h"
#include "tests/support/golden.h"

namespace jogak::test {

struct EncoderGolden {
  ModelFiles files;
  SafetensorsFile golden;
  Model model;
  EncoderInput input;

  explicit EncoderGolden(const std::string& name);
  // Of what the model predicts, the tensors as transformers names them.
  NamedTensors results(const Tensor& predicted) const;
  // What its loss wants.
  Tensor targets() const;
  Tensor loss(Run& run) const;
};

inline Model built(const std::string& name, const ModelFiles& files) {
  const std::string file = golden_dir(name) + "/config.json";
  const Json config = read_json_file(file);
  const Family& family = family_of(config, file);
  return family.build(config, file, ParamStore::from_files(files, family.names));
}

inline Tensor tensor_or_none(const SafetensorsFile& file, const char* name) {
  return file.has(name) ? file.get(name) : Tensor();
}

inline EncoderInput read_input(const SafetensorsFile& file) {
  const Tensor mask = tensor_or_none(file, "attention_mask");
  if (file.has("past_values")) {
    const Tensor seen = tensor_or_none(file, "past_observed_mask");
    return {.values = file.get("past_values"),
            .mask = seen.defined() ? cast(seen, DType::boolean) : Tensor()};
  }
  if (file.has("pixel_values") && !file.has("input_ids"))
    return {.values = file.get("pixel_values")};
  return {.values = file.get("input_ids"),
          .mask = mask.defined() ? cast(mask, DType::boolean) : Tensor(),
          .token_types = tensor_or_none(file, "token_type_ids"),
          .positions = tensor_or_none(file, "position_ids")};
}

inline EncoderGolden::EncoderGolden(const std::string& name)
    : files(golden_dir(name)),
      golden(golden_dir(name) + "/golden.safetensors"),
      model(built(name, files)),
      input(read_input(golden)) {}

inline NamedTensors EncoderGolden::results(const Tensor& predicted) const {
  if (model.encoder.task == EncoderTask::forecast) {
    NamedTensors out = {{"prediction_outputs", point_forecast(model.encoder, predicted)}};
    if (model.encoder.point)  // one series: without its axis
      out.emplace_back("full_predictions",
                       reshape(predicted, {predicted.dim(0), predicted.dim(1), -1}));
    return out;
  }
  if (model.encoder.task != EncoderTask::answer) return {{"logits", predicted}};
  const auto [first, last] = span_ends(predicted);
  return {{"start_logits", first}, {"end_logits", last}};
}

// Behind the text a place counts nowhere; padding is never said to be replaced.
inline Tensor EncoderGolden::targets() const {
  if (model.encoder.task == EncoderTask::forecast) return golden.get("future_values");
  if (model.encoder.task == EncoderTask::answer) {
    const auto first = to_host<int64_t>(golden.get("start_positions")),
               last = to_host<int64_t>(golden.get("end_positions"));
    std::vector<int64_t> places;
    for (size_t i = 0; i < first.size(); ++i)
      for (const int64_t place : {first[i], last[i]})
        places.push_back(place < input.values.dim(1) ? place : -100);
    return from_values(places, {static_cast<int64_t>(first.size()), 2});
  }
  const Tensor labels = golden.get("labels");
  if (model.encoder.task != EncoderTask::detect) return labels;
  auto out = to_host<int64_t>(labels);
  const auto real = to_host<int64_t>(golden.get("attention_mask"));
  for (size_t i = 0; i < out.size(); ++i)
    if (real[i] == 0) out[i] = -100;
  return from_values(out, labels.shape());
}

// Of the batch, whatever the model predicts: the mean, as transformers has it.
inline Tensor EncoderGolden::loss(Run& run) const {
  if (!model.matches()) return model.encoder.loss(model.encoder.predict(input, run), targets(), {});
  const MatchModel& match = model.match;
  const Tensor images = match.image(golden.get("pixel_values"), run);
  return match.loss(match.scores(images, match.text(input.values, input.mask, run)));
}

}  // namespace jogak::test
