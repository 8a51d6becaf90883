// `jogak forward` for models that write no text.
#include "app/use/forward.h"

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

EncoderInput read_input(const EncoderModel& model, const ForwardInputs& file) {
  if (model.task == EncoderTask::forecast) {
    const Tensor past = numbers(file, "past_values");
    return {.values = past, .mask = beside(file, "past_observed_mask", past, DType::boolean)};
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
  const bool series = model.task == EncoderTask::forecast;
  const Tensor predicted = model.predict(input, run);
  out.named = {{series ? "prediction_outputs" : "logits", predicted}};
  const char* const name = series ? "future_values" : "labels";
  if (!file.has(name)) return out;
  const Tensor labels = file.get(name);
  const bool whole = !is_float(labels.dtype());
  out.loss = model.loss(predicted, cast(labels, whole ? DType::i64 : DType::f32), {});
  return out;
}

}  // namespace jogak
