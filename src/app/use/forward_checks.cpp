// Whether tensors that somebody gives can be what a model reads.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "app/use/forward.h"
#include "base/log.h"
#include "data/batch.h"

namespace jogak {
namespace {

// -1 stands for any number.
void check_shape(const ForwardInputs& inputs, const char* name, const std::vector<int64_t>& wanted,
                 const std::string& words) {
  if (!inputs.has(name)) return;
  const Shape found = inputs.get(name).shape();
  bool fits = found.rank() == std::ssize(wanted);
  for (int i = 0; fits && i < found.rank(); ++i)
    fits = wanted[static_cast<size_t>(i)] < 0 || found[i] == wanted[static_cast<size_t>(i)];
  ensure<FormatError>(fits, inputs.path(), ": tensor ", shown_name(name), ": found ", found,
                      ", wanted ", words);
}

// Whole numbers from 0 to `count` - 1; -100 too where it means "does not count".
void check_values(const ForwardInputs& inputs, const char* name, int64_t count,
                  bool may_be_ignored = false) {
  if (!inputs.has(name)) return;
  const Tensor x = inputs.get(name);
  ensure<FormatError>(!is_float(x.dtype()), inputs.path(), ": tensor ", shown_name(name),
                      ": found ", x.dtype(), " ", x.shape(), ", wanted whole numbers");
  const auto values = to_host<int64_t>(cast(x, DType::i64));
  const auto ignored = std::count(values.begin(), values.end(), int64_t{kIgnored});
  ensure<FormatError>(!may_be_ignored || values.empty() || ignored < std::ssize(values),
                      inputs.path(), ": tensor ", shown_name(name), ": every one is ", kIgnored,
                      ", there is nothing to be right about");
  for (size_t i = 0; i < values.size(); ++i)
    ensure<FormatError>(
        (values[i] >= 0 && values[i] < count) || (may_be_ignored && values[i] == kIgnored),
        inputs.path(), ": tensor ", shown_name(name), ": found ", values[i], " at place ", i,
        " of ", values.size(), ", wanted 0 to ", count - 1,
        may_be_ignored ? text_of(" or ", kIgnored) : std::string());
}

void check_image(const EncoderModel& model, const ForwardInputs& inputs) {
  check_shape(inputs, "pixel_values", {-1, model.channels, -1, -1},
              text_of("[batch, ", model.channels, ", height, width]"));
}

// One series may do without the axis of series, as TimesFM's have none.
void check_series(const EncoderModel& model, const ForwardInputs& inputs) {
  if (model.channels == 1 && inputs.has("past_values") && inputs.get("past_values").rank() == 2) {
    for (const char* name : {"past_values", "past_observed_mask"})
      check_shape(inputs, name, {-1, model.context}, text_of("[batch, ", model.context, "]"));
    check_shape(inputs, "future_values", {-1, model.horizon},
                text_of("[batch, ", model.horizon, "]"));
    return;
  }
  const std::string past = text_of("[batch, ", model.context, ", ", model.channels, "]"),
                    future = text_of("[batch, ", model.horizon, ", ", model.channels, "]");
  for (const char* name : {"past_values", "past_observed_mask"})
    check_shape(inputs, name, {-1, model.context, model.channels}, past);
  if (model.horizon > 0)
    check_shape(inputs, "future_values", {-1, model.horizon, model.channels}, future);
}

void check_labels(const Model& model, const ForwardInputs& inputs) {
  if (!inputs.has("labels") || is_float(inputs.get("labels").dtype())) return;
  switch (model.encoder.task) {
    case EncoderTask::fill: return check_values(inputs, "labels", model.vocab, true);
    case EncoderTask::classify:
    case EncoderTask::tag:
      if (model.encoder.labels.problem_for(inputs.get("labels")) == Problem::single_label)
        check_values(inputs, "labels", model.encoder.labels.count(), true);
      return;
    case EncoderTask::detect: return check_values(inputs, "labels", 2, true);
    case EncoderTask::answer:
    case EncoderTask::embed:
    case EncoderTask::forecast: return;
  }
}

// How many kinds of tokens a BERT tells apart; a GPT-2 looks them up among its tokens.
int64_t token_types(const Model& model) {
  const Json* const count = model.config.find("type_vocab_size");
  return count && count->is_integer() && count->integer() > 0 ? count->integer() : model.vocab;
}

// How many places a text may name: the rows of a table, or as many as the longest text has.
int64_t places_of(const Model& model) {
  if (!model.encodes()) return model.causal.cache.context;
  const Json* const rows = model.config.find("max_position_embeddings");  // RoBERTa's have more
  return rows && rows->is_integer() ? rows->integer() : model.encoder.context;
}

}  // namespace

void check_inputs(const Model& model, const ForwardInputs& inputs) {
  if (model.translates()) {
    check_values(inputs, "input_ids", model.seq2seq.source_vocab);
    check_values(inputs, "decoder_input_ids", model.seq2seq.decoder.vocab);
    return check_values(inputs, "labels", model.seq2seq.decoder.vocab, true);
  }
  if (model.encodes() && model.encoder.task == EncoderTask::forecast)
    return check_series(model.encoder, inputs);
  if (model.matches())
    return check_image(model.encoder, inputs), check_values(inputs, "input_ids", model.match.vocab);
  if (model.encodes() && model.vocab == 0)
    return check_image(model.encoder, inputs), check_labels(model, inputs);
  check_values(inputs, "input_ids", model.vocab);
  check_values(inputs, "position_ids", places_of(model));
  if (model.encodes()) {
    check_values(inputs, "token_type_ids", token_types(model));
    return check_labels(model, inputs);
  }
  if (model.causal.token_types) check_values(inputs, "token_type_ids", model.vocab);
  check_values(inputs, "labels", model.vocab, true);
}

// transformers asks for interpolate_pos_encoding there; of DINOv2 it does the same by itself.
void warn_of_size(const Model& model, const ForwardInputs& inputs) {
  if (!inputs.has("pixel_values") || model.matches() || model.model_type == "dinov2") return;
  const Shape found = inputs.get("pixel_values").shape();
  const auto& made_for = model.encoder.image;
  if (made_for[0] == 0 || (found[2] == made_for[0] && found[3] == made_for[1])) return;
  log_warning("images of ", found[2], " x ", found[3], ", where positions were learnt for ",
              made_for[0], " x ", made_for[1], ": they are spread over the other grid");
}

}  // namespace jogak
