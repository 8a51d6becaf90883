#include "app/show/inspect.h"

#include <cmath>

#include "autograd/autograd.h"
#include "base/file.h"
#include "base/suggest.h"
#include "data/image.h"
#include "draw/raster.h"
#include "look/switches.h"
#include "ops/add.h"
#include "ops/mul.h"
#include "ops/reduce.h"
#include "train/finite.h"

namespace jogak {
namespace {

// Adds nothing to what each layer makes, through a leaf: its gradient is the stream's.
class StreamTaps : public Probe {
 public:
  Tensor pass(const ProbeStep& step, const Tensor&, const Tensor& out) override {
    if (step.part != Part::layer) return out;
    names.push_back(step.name());
    taps.push_back(leaf(zeros(out.shape(), out.dtype(), out.device())));
    return out + taps.back();
  }
  std::vector<std::string> names;
  std::vector<Tensor> taps;
};

// Vectors have no right answer. What takes the loss's place is half the squared length of their
// mean over the tokens: its gradient is that mean, the direction that the model gave the input.
Tensor half_square_of_mean(const Tensor& vectors) {  // [B, T, C] -> []
  const Tensor middle = mean(vectors, 1);
  return sum(middle * middle) * 0.5;
}

class Inspector {
 public:
  Inspector(const InspectSubject& subject, const InspectCommand& c) : c_(c), subject_(subject) {
    out_.what = c.what, out_.model_type = subject_.model().model_type, out_.lang = c.lang;
  }

  Inspection run() {
    if (c_.what == "weights")
      show_weights(*subject_.model().store, c_.weights, out_);
    else if (c_.what == "gradients")
      gradients_by_layer();
    else if (c_.what == "lens")
      lens();
    else
      recorded();
    if (!c_.off.empty()) out_.facts.emplace_back("off", c_.off);
    return std::move(out_);
  }

 private:
  // One pass that `probe` watches, with the parts switched off that the user named.
  ForwardOutputs pass(const InspectInput& input, Probe& probe) const {
    Ablation off(c_.off.empty() ? std::vector<Switch>{} : parse_switches(c_.off));
    ProbeChain both(off, probe);
    Run run;
    run.stop = c_.stop;
    run.probe = c_.off.empty() ? &probe : &both;
    ForwardOutputs out = forward(subject_.model(), input.inputs(), run);
    off.check_used();
    return out;
  }

  Recorder watch(const InspectInput& input, Recorder::Wanted wanted) const {
    const NoGrad quiet;
    Recorder recorder(wanted);
    pass(input, recorder);
    return recorder;
  }

  void keep_tokens(const TokenNames& names) {
    const char* const own = subject_.model().translates() ? "target_tokens" : "tokens";
    if (!names.source.empty()) out_.facts.emplace_back("source_tokens", Json::list(names.source));
    if (!names.target.empty()) out_.facts.emplace_back(own, Json::list(names.target));
  }

  void recorded() {
    const bool free = c_.what == "positions" || c_.what == "shapes" || c_.what == "heads";
    InputChoice choice = c_.input;
    if (c_.what == "positions" && choice.length == 0) choice.length = 64;
    if (c_.what == "heads" && choice.length == 0) choice.length = 32;
    const InspectInput input = free ? subject_.input_or_any(choice) : subject_.input(choice);
    const bool weights =
        c_.what == "attention" || c_.what == "heads" || c_.what == "trace" || c_.what == "shapes";
    const Recorder seen = watch(input, {.attention = weights, .statistics = c_.what == "trace"});
    keep_tokens(input.names);
    if (c_.what == "attention") show_attention(seen.maps, input.names, c_.attention, out_);
    if (c_.what == "heads") show_heads(seen.maps, input.names, c_.attention.row, out_);
    if (c_.what == "positions") show_positions(seen.positions, c_.attention.transpose, out_);
    if (c_.what == "trace") show_steps(seen.steps, true, out_);
    if (c_.what == "shapes") show_steps(seen.steps, false, out_);
  }

  Tensor read(const Tensor& layer) const {
    const Model& m = subject_.model();
    Run run;
    if (m.translates()) return m.seq2seq.read(layer);
    if (!m.encodes()) return m.read(layer, run);
    ensure<UsageError>(m.encoder.read != nullptr, "a ", m.model_type,
                       " model without a head that names tokens or labels has no lens");
    return m.encoder.read(layer, run);
  }

  void lens() {
    InspectInput input = subject_.input(c_.input);
    const NoGrad quiet;
    const Recorder seen = watch(input, {.layers = true});
    std::vector<LensLayer> layers;
    for (size_t i = 0; i < seen.layers.size(); ++i) {
      const Tensor logits = dense(read(seen.layers[i]));  // [B, T, V] or [B, labels]
      const int64_t V = logits.dim(-1), T = logits.rank() == 3 ? logits.dim(1) : 1;
      layers.push_back({seen.layer_names[i],
                        logits.view({T, V}, {V, 1}, logits.offset() + c_.attention.row * T * V)});
      if (logits.rank() == 2) input.names.target = {"label"};
    }
    keep_tokens(input.names);
    show_lens(
        layers, input.names, [this](int64_t id) { return subject_.token(id); }, out_);
  }

  void gradients_by_layer() {
    InspectInput input = subject_.input(c_.input);
    subject_.add_labels(input, c_.input);
    StreamTaps taps;
    const ParamStore& store = *subject_.model().store;
    const ForwardOutputs made = pass(input, taps);
    const bool vectors =
        subject_.model().encodes() && subject_.model().encoder.task == EncoderTask::embed;
    const Tensor loss =
        vectors && !made.loss.defined() ? half_square_of_mean(made.named.at(0).second) : made.loss;
    ensure<UsageError>(loss.defined(),
                       "there is no loss to take gradients of: the input says no answer");
    std::vector<Tensor> leaves = store.trained();
    const size_t weights = leaves.size();
    leaves.insert(leaves.end(), taps.taps.begin(), taps.taps.end());
    const std::vector<double> squares = squared_norms(gradients(loss, leaves));
    std::vector<LayerGradient> layers;
    for (size_t i = 0; i < taps.names.size(); ++i)
      layers.push_back({taps.names[i], std::sqrt(squares[weights + i]), 0});
    size_t at = 0;
    double outside = 0;
    for (const Param& p : store.all()) {
      if (!p.trained) continue;
      double* sum = &outside;
      for (LayerGradient& layer : layers)
        if (p.name.starts_with(layer.name + ".")) sum = &layer.weights;
      *sum += squares[at++];
    }
    for (LayerGradient& layer : layers) layer.weights = std::sqrt(layer.weights);
    keep_tokens(input.names);
    out_.facts.emplace_back("loss", item(loss));
    out_.facts.emplace_back("outside", std::sqrt(outside));
    show_gradients(layers, out_);
  }

  const InspectCommand& c_;
  const InspectSubject& subject_;
  Inspection out_;
};

std::string png_of(const Inspection& shown) {
  Raster points = rasterize(to_svg(shown));
  return encode_png({points.height, points.width, 3, std::move(points.pixels)});
}

}  // namespace

const std::vector<std::string>& inspect_topics() {
  static const std::vector<std::string> all = {"attention", "positions", "shapes", "trace",
                                               "heads",     "gradients", "lens",   "weights"};
  return all;
}

Inspection inspect(const InspectCommand& command) {
  return inspect(InspectSubject(command.directory), command);
}

Inspection inspect(const InspectSubject& subject, const InspectCommand& command) {
  return Inspector(subject, command).run();
}

void write_inspection(const Inspection& shown, const std::string& path) {
  if (path.ends_with(".svg")) return write_file(path, to_svg(shown));
  if (path.ends_with(".png")) return write_file(path, png_of(shown));
  if (path.ends_with(".json")) return write_file(path, to_json(shown).dump() + "\n");
  if (path.ends_with(".html")) return write_file(path, to_html(shown));
  if (path.ends_with(".txt")) return write_file(path, to_text(shown, false, 100));
  fail<UsageError>("--out: found \"", path,
                   "\", wanted a name that ends in .svg, .png, .json, .html or .txt");
}

}  // namespace jogak
