// `jogak forward`: the bare model on named tensors, without dropout.
#pragma once

#include <string>

#include "app/models/model.h"
#include "io/safetensors.h"

namespace jogak {

struct ForwardRequest {
  std::string directory, input, output;
  bool attentions = false, hidden = false, grads = false;
  bool allow_nonfinite = false;
  bool overwrite = false;      // an output file that something else is in
  bool write = true;           // false: another process of the command does
  std::string dtype = "auto";  // of the weights: auto, f32 or bf16; gradients are in f32
};

// Reads input_ids and, when there, attention_mask, position_ids, labels and what else the model
// knows (decoder_input_ids, pixel_values of images, past_values of series ..); a tensor it does not
// know is a FormatError that lists those it does. Writes logits (or last_hidden_state and
// pooler_output, or prediction_outputs), loss, attentions.N, hidden_states.N and
// grads.<parameter>, named as in transformers.
void run_forward(const ForwardRequest& request);
// What such a file, and an example of inputs, has in its header: a later one may replace it. What
// another program computed is not ours to replace.
const Metadata& made_by_forward();
bool is_forward_file(const std::string& path);

// Named tensors that a pass reads: of a file, which must stay open, or of memory.
class ForwardInputs {
 public:
  explicit ForwardInputs(const SafetensorsFile& file) : file_(&file) {}
  explicit ForwardInputs(NamedTensors tensors) : tensors_(std::move(tensors)) {}
  bool has(std::string_view name) const;
  Tensor get(std::string_view name) const;  // MissingError
  std::string path() const;                 // what complaints call it

 private:
  const SafetensorsFile* file_ = nullptr;
  NamedTensors tensors_ = {};
};

struct ForwardOutputs {
  NamedTensors named;
  Tensor loss;  // undefined without labels
};
// FormatError naming file and tensor for values and shapes that the model cannot read.
void check_inputs(const Model& model, const ForwardInputs& inputs);
// A warning for images of another size than a model's positions were learnt for, which it has read.
void warn_of_size(const Model& model, const ForwardInputs& inputs);
ForwardOutputs forward(const Model& model, const ForwardInputs& inputs, Run& run);
ForwardOutputs forward_encoder(const EncoderModel& model, const ForwardInputs& inputs, Run& run);

}  // namespace jogak
