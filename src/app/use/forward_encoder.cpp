// `jogak forward` for models that write no text.
#include <algorithm>

#include "app/use/forward.h"
#include "data/batch.h"
#include "nn/spans.h"
#include "ops/reshape.h"

namespace jogak {
namespace {

// Integers of the shape of the ids, or nothing when the file has none.
Tensor beside(const ForwardInputs& file, const char* name, const Tensor& ids, DType dtype) {
  if (!file.has(name)) return {};
  const Tensor x = file.get(name);
  ensure<FormatError>(x.shape() == ids.shape() && !is_float(x.dtype()), file.path(), ": ", name,
                      " is ", x.dtype(), " ", x.shape(), ", wanted integers ", ids.shape());
  return cast(x, dtype);
}

Tensor numbers(const ForwardInputs& file, const char* name) {
  const Tensor x = file.get(name);
  ensure<FormatError>(is_float(x.dtype()), file.path(), ": ", name, " is ", x.dtype(),
                      ", wanted floats");
  return cast(x, DType::f32);
}

// [B, time, series], of one series also written [B, time].
Tensor series_of(const Tensor& x) { return x.rank() == 2 ? reshape(x, x.shape().plus(1)) : x; }

EncoderInput read_input(const EncoderModel& model, const ForwardInputs& file) {
  if (model.task == EncoderTask::forecast) {
    const Tensor past = numbers(file, "past_values");
    const Tensor seen = beside(file, "past_observed_mask", past, DType::boolean);
    return {.values = series_of(past), .mask = seen.defined() ? series_of(seen) : seen};
  }
  if (model.vocab == 0) return {.values = numbers(file, "pixel_values")};
  const Tensor ids = file.get("input_ids");
  ensure<FormatError>(ids.rank() == 2 && !is_float(ids.dtype()), file.path(), ": input_ids is ",
                      ids.dtype(), " ", ids.shape(), ", wanted integers [batch, time]");
  return {.values = cast(ids, DType::i64),
          .mask = beside(file, "attention_mask", ids, DType::boolean),
          .token_types = beside(file, "token_type_ids", ids, DType::i64),
          .positions = beside(file, "position_ids", ids, DType::i64)};
}

// Where each answer begins or ends, i64 [B]. As in transformers what lies behind the text counts
// nowhere, and what lies before it stands for the first token.
std::vector<int64_t> read_places(const ForwardInputs& file, const char* name, const Tensor& ids) {
  const Tensor x = file.get(name);
  const bool fits = !is_float(x.dtype()) && x.count() == ids.dim(0) && x.dim(0) == ids.dim(0);
  ensure<FormatError>(x.rank() >= 1 && fits, file.path(), ": ", name, " is ", x.dtype(), " ",
                      x.shape(), ", wanted integers [", ids.dim(0), "]");
  std::vector<int64_t> out = to_host<int64_t>(cast(x, DType::i64));
  for (int64_t& place : out) place = place >= ids.dim(1) ? kIgnored : std::max<int64_t>(place, 0);
  return out;
}

ForwardOutputs forward_answer(const EncoderModel& model, const EncoderInput& input,
                              const ForwardInputs& file, Run& run) {
  const Tensor predicted = model.predict(input, run);
  const auto [first, last] = span_ends(predicted);
  ForwardOutputs out;
  out.named = {{"start_logits", first}, {"end_logits", last}};
  if (!file.has("start_positions") || !file.has("end_positions")) return out;
  const auto starts = read_places(file, "start_positions", input.values),
             ends = read_places(file, "end_positions", input.values);
  std::vector<int64_t> places;
  for (size_t i = 0; i < starts.size(); ++i) places.insert(places.end(), {starts[i], ends[i]});
  const Tensor targets = from_values(places, {input.values.dim(0), 2});
  out.loss = model.loss(predicted, to_device(targets, predicted.device()), {});
  return out;
}

// Padding is never said to be replaced: its labels do not count.
Tensor without_padding(const Tensor& labels, const Tensor& mask) {
  if (!mask.defined()) return labels;
  auto out = to_host<int64_t>(cast(labels, DType::i64));
  const auto real = to_host<int64_t>(cast(mask, DType::i64));
  ensure<FormatError>(out.size() == real.size(), "labels ", labels.shape(), ", wanted ",
                      mask.shape());
  for (size_t i = 0; i < out.size(); ++i)
    if (real[i] == 0) out[i] = kIgnored;
  return from_values(out, labels.shape());
}

}  // namespace

ForwardOutputs forward_encoder(const EncoderModel& model, const ForwardInputs& file, Run& run) {
  const EncoderInput input = read_input(model, file);
  ForwardOutputs out;
  if (!model.predict) {
    out.named = {{"last_hidden_state", model.hidden(input, run)}};
    run.probe = nullptr;  // the second pass shows nothing new
    if (model.pooled) out.named.emplace_back("pooler_output", model.pooled(input, run));
    return out;
  }
  if (model.task == EncoderTask::answer) return forward_answer(model, input, file, run);
  const bool series = model.task == EncoderTask::forecast;
  const Tensor predicted = model.predict(input, run);
  out.named = {{series ? "prediction_outputs" : "logits", point_forecast(model, predicted)}};
  if (model.point && model.channels == 1) {  // as transformers names and shapes them
    const int64_t B = predicted.dim(0), H = predicted.dim(1);
    out.named.emplace_back("mean_predictions", reshape(out.named[0].second, {B, H}));
    out.named.emplace_back("full_predictions", reshape(predicted, {B, H, -1}));
  }
  const char* const name = series ? "future_values" : "labels";
  if (!file.has(name)) return out;
  Tensor labels = series ? series_of(file.get(name)) : file.get(name);
  if (model.task == EncoderTask::detect) labels = without_padding(labels, input.mask);
  const bool whole = !is_float(labels.dtype());
  out.loss = model.loss(predicted, cast(labels, whole ? DType::i64 : DType::f32), {});
  return out;
}

}  // namespace jogak
