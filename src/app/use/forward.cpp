#include "app/use/forward.h"

#include <algorithm>
#include <set>

#include "app/models/target.h"
#include "autograd/autograd.h"
#include "data/batch.h"
#include "ops/cross_entropy.h"
#include "ops/reshape.h"
#include "ops/transpose.h"

namespace jogak {
namespace {

Tensor read_ids(const ForwardInputs& file, const char* name) {
  const Tensor x = file.get(name);
  ensure<FormatError>(x.rank() == 2 && !is_float(x.dtype()), file.path(), ": ", name, " is ",
                      x.dtype(), " ", x.shape(), ", wanted integers [batch, time]");
  return cast(x, DType::i64);
}

// Another tensor of the same shape as the ids.
Tensor read_beside(const ForwardInputs& file, const char* name, const Tensor& ids) {
  const Tensor x = read_ids(file, name);
  ensure<FormatError>(x.shape() == ids.shape(), file.path(), ": ", name, " has shape ", x.shape(),
                      ", the ids ", ids.shape());
  return x;
}

// bool, false for padding; undefined when the file has none. Some families of transformers count
// with other numbers than 0 and 1, others do not.
Tensor read_mask(const ForwardInputs& file, const char* name, const Tensor& ids) {
  if (!file.has(name)) return Tensor();
  const Tensor x = read_beside(file, name, ids);
  for (const int64_t value : to_host<int64_t>(x))
    ensure<FormatError>(value == 0 || value == 1, file.path(), ": ", name, " holds ", value,
                        ", wanted 0 and 1");
  return cast(x, DType::boolean);
}

// Without a mask transformers takes positions that jump for several texts in one row, which do not
// see each other.
Tensor read_positions(const ForwardInputs& file, const Tensor& ids) {
  const Tensor x = read_beside(file, "position_ids", ids);
  if (file.has("attention_mask")) return x;
  const auto places = to_host<int64_t>(x);
  for (size_t i = 1; i < places.size(); ++i)
    ensure<FormatError>(static_cast<int64_t>(i) % ids.dim(1) == 0 || places[i] == places[i - 1] + 1,
                        file.path(), ": position_ids has ", places[i], " after ", places[i - 1],
                        ": packed texts are not read; with an attention_mask it is one text");
  return x;
}

// transformers shifts inside: logits at t answer for labels at t + 1.
Tensor shifted(const Tensor& labels) {
  const int64_t B = labels.dim(0), T = labels.dim(1);
  const auto from = to_host<int64_t>(labels);
  std::vector<int64_t> to(from.size(), -100);
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t + 1 < T; ++t) to[b * T + t] = from[b * T + t + 1];
  return from_values(to, labels.shape());
}

Tensor loss_of(const Tensor& logits, const Tensor& targets) {
  return cross_entropy(logits, to_device(targets, logits.device()));
}

class Keep : public Probe {
 public:
  Keep(bool attentions, bool hidden, NamedTensors& out)
      : attentions_(attentions), hidden_(hidden), out_(out) {}
  bool wants_attention() const override { return attentions_; }
  void see(std::string_view name, int64_t layer, const Tensor& value) override {
    const bool wanted =
        name.ends_with("attentions") ? attentions_ : name.ends_with("hidden_states") && hidden_;
    if (wanted) out_.emplace_back(text_of(name, ".", layer), value.detach());
  }

 private:
  bool attentions_, hidden_;
  NamedTensors& out_;
};

ForwardOutputs forward_causal(const Model& model, const ForwardInputs& file, Run& run) {
  const Tensor ids = read_ids(file, "input_ids");
  run.key_mask = read_mask(file, "attention_mask", ids);
  if (file.has("position_ids")) run.positions = read_positions(file, ids);
  if (file.has("token_type_ids") && model.causal.token_types)
    run.token_types = read_beside(file, "token_type_ids", ids);
  ForwardOutputs out;
  const Tensor logits = model.causal.forward(ids, run);
  out.named = {{"logits", logits}};
  if (file.has("labels")) out.loss = loss_of(logits, shifted(read_beside(file, "labels", ids)));
  return out;
}

// Vectors of what is there; of both their scores, and a loss where each image has its text.
ForwardOutputs forward_match(const Model& model, const ForwardInputs& file, Run& run) {
  const MatchModel& match = model.match;
  const bool sees = file.has("pixel_values"), reads = file.has("input_ids");
  ensure<FormatError>(sees || reads, file.path(),
                      ": wanted a tensor named pixel_values, input_ids, or both");
  ForwardOutputs out;
  Tensor images, texts;
  if (sees) images = match.image(cast(file.get("pixel_values"), DType::f32), run);
  if (reads) {
    const Tensor ids = read_ids(file, "input_ids");
    texts = match.text(ids, read_mask(file, "attention_mask", ids), run);
  }
  if (sees && reads) {
    const Tensor scores = match.scores(images, texts);
    out.named = {{"logits_per_image", scores},
                 {"logits_per_text", contiguous(transpose(scores, 0, 1))}};
    // Of one pair there is nothing to tell apart.
    if (scores.dim(0) == scores.dim(1) && scores.dim(0) > 1) out.loss = match.loss(scores);
  }
  if (sees) out.named.emplace_back("image_embeds", of_length_one(images));
  if (reads) out.named.emplace_back("text_embeds", of_length_one(texts));
  return out;
}

// What the decoder reads when only labels are given: the start, then all labels but the last.
Tensor decoder_input(const Seq2SeqModel& model, const Tensor& labels) {
  const int64_t T = labels.dim(1);
  std::vector<int64_t> ids = to_host<int64_t>(labels);
  for (int64_t b = 0; b < labels.dim(0); ++b) {
    for (int64_t t = T - 1; t > 0; --t) {
      const int64_t before = ids[b * T + t - 1];
      ids[b * T + t] = before == kIgnored ? model.pad : before;
    }
    if (T > 0) ids[b * T] = model.start;
  }
  return from_values(ids, labels.shape());
}

ForwardOutputs forward_seq2seq(const Model& model, const ForwardInputs& file, Run& run) {
  const Tensor source = read_ids(file, "input_ids");
  const Tensor mask = read_mask(file, "attention_mask", source);
  const bool given = file.has("decoder_input_ids");
  ensure<FormatError>(given || file.has("labels"), file.path(),
                      ": wanted a tensor named decoder_input_ids, or labels to make it from");
  const Tensor ids = given ? read_ids(file, "decoder_input_ids")
                           : decoder_input(model.seq2seq, read_ids(file, "labels"));
  ensure<FormatError>(ids.dim(0) == source.dim(0), file.path(), ": decoder_input_ids has ",
                      ids.dim(0), " rows, input_ids ", source.dim(0));
  const Tensor memory = model.seq2seq.encode({source, mask}, run);
  run.key_mask = read_mask(file, "decoder_attention_mask", ids);
  ForwardOutputs out;
  const Tensor logits = model.seq2seq.decode(ids, memory, mask, run);
  out.named = {{"logits", logits}};
  if (file.has("labels")) out.loss = loss_of(logits, read_beside(file, "labels", ids));
  return out;
}

std::vector<std::string> inputs_of(const Model& model) {
  if (model.translates())
    return {"input_ids", "attention_mask", "decoder_input_ids", "decoder_attention_mask", "labels"};
  if (model.encoder.task == EncoderTask::forecast)
    return {"past_values", "past_observed_mask", "future_values"};
  if (model.matches()) return {"pixel_values", "input_ids", "attention_mask"};
  if (model.encodes() && model.vocab == 0) return {"pixel_values", "labels"};
  std::vector<std::string> out = {"input_ids", "attention_mask", "position_ids"};
  if (model.encodes() && model.encoder.task == EncoderTask::answer)
    out.insert(out.end(), {"start_positions", "end_positions"});
  else
    out.emplace_back("labels");
  if (model.encodes() || model.causal.token_types) out.emplace_back("token_type_ids");
  return out;
}

const char* target_name(const Model& model) {
  if (model.encoder.task == EncoderTask::forecast) return "future_values";
  if (model.matches()) return "input_ids";
  return model.encoder.task == EncoderTask::answer ? "start_positions" : "labels";
}

// What a pass gives may stand beside what it reads; names with a dot are somebody's own.
void refuse_other_inputs(const Model& model, const SafetensorsFile& file) {
  static const std::set<std::string> results = {"logits",
                                                "loss",
                                                "last_hidden_state",
                                                "pooler_output",
                                                "loc",
                                                "prediction_outputs",
                                                "mean_predictions",
                                                "full_predictions",
                                                "next_sentence",
                                                "scale",
                                                "start_logits",
                                                "end_logits",
                                                "logits_per_image",
                                                "logits_per_text",
                                                "image_embeds",
                                                "text_embeds",
                                                "image_features",
                                                "text_features"};
  const std::vector<std::string> known = inputs_of(model);
  for (const std::string& name : file.names()) {
    if (name.find('.') != std::string::npos || results.contains(name) ||
        std::find(known.begin(), known.end(), name) != known.end())
      continue;
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
    fail<FormatError>(file.path(), ": tensor ", shown_name(name), ": a ", model.model_type,
                      " model reads ", list);
  }
}

// What the checks do not know of (more tokens than positions, odd patches) the model refuses: then
// the file is what is wrong.
ForwardOutputs checked_forward(const Model& model, const ForwardInputs& inputs, Run& run) {
  check_inputs(model, inputs);
  try {
    ForwardOutputs out = forward(model, inputs, run);
    warn_of_size(model, inputs);
    return out;
  } catch (const ShapeError& error) {
    fail<FormatError>(inputs.path(), ": ", error.what());
  } catch (const UsageError& error) {
    fail<FormatError>(inputs.path(), ": ", error.what());
  }
}

}  // namespace

const Metadata& made_by_forward() {
  static const Metadata out = {{"made_by", "jogak forward"}};
  return out;
}

bool is_forward_file(const std::string& path) {
  try {
    return SafetensorsFile(path).metadata() == made_by_forward();
  } catch (const Error&) {  // something else
    return false;
  }
}

bool ForwardInputs::has(std::string_view name) const {
  if (file_) return file_->has(name);
  return std::any_of(tensors_.begin(), tensors_.end(),
                     [&](const auto& one) { return one.first == name; });
}

Tensor ForwardInputs::get(std::string_view name) const {
  if (file_) return file_->get(name);
  for (const auto& [known, value] : tensors_)
    if (known == name) return value;
  fail<MissingError>(path(), ": no tensor ", shown_name(name));
}

std::string ForwardInputs::path() const { return file_ ? file_->path() : "inputs"; }

ForwardOutputs forward(const Model& model, const ForwardInputs& file, Run& run) {
  if (model.matches()) return forward_match(model, file, run);
  if (model.encodes()) return forward_encoder(model.encoder, file, run);
  return model.translates() ? forward_seq2seq(model, file, run) : forward_causal(model, file, run);
}

void run_forward(const ForwardRequest& request) {
  if (request.write)
    check_target_file({request.output, request.overwrite, {request.input}}, is_forward_file);
  ensure<UsageError>(!request.grads || request.dtype != "bf16",
                     "forward: --grads goes with weights in f32, found --dtype bf16");
  const Model model = open_model(
      request.directory, {.allow_nonfinite = request.allow_nonfinite,
                          .use = request.grads ? WeightUse::trained : weight_use(request.dtype)});
  const SafetensorsFile file(request.input);
  refuse_other_inputs(model, file);
  NamedTensors out;
  Keep keep(request.attentions, request.hidden, out);
  Run run;
  run.probe = &keep;
  const ForwardOutputs result = checked_forward(model, ForwardInputs(file), run);
  ensure<FormatError>(!request.grads || result.loss.defined(), request.input,
                      ": --grads needs a tensor named ", target_name(model),
                      ", and a model with a head");
  for (const auto& [name, value] : result.named) out.emplace_back(name, value.detach());
  if (result.loss.defined()) out.emplace_back("loss", result.loss.detach());
  if (request.grads) {
    const std::vector<Tensor> grads = gradients(result.loss, model.store->trained());
    size_t i = 0;
    for (const Param& p : model.store->all())
      if (p.trained)
        for (auto& [name, grad] : model.store->in_file_layout(p, grads[i++]))
          out.emplace_back("grads." + name, std::move(grad));
  }
  if (request.write) save_safetensors(request.output, out, made_by_forward());
}

}  // namespace jogak
