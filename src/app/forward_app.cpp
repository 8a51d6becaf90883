#include "app/forward_app.h"

#include "app/model.h"
#include "autograd/autograd.h"
#include "io/safetensors.h"
#include "ops/cross_entropy.h"

namespace jogak {
namespace {

Tensor read_ids(const SafetensorsFile& file, const char* name) {
  const Tensor x = file.get(name);
  ensure<FormatError>(x.rank() == 2 && !is_float(x.dtype()), file.path(), ": ", name, " is ",
                      x.dtype(), " ", x.shape(), ", wanted integers [batch, time]");
  return cast(x, DType::i64);
}

void check_shape(const SafetensorsFile& file, const char* name, const Tensor& x,
                 const Tensor& ids) {
  ensure<FormatError>(x.shape() == ids.shape(), file.path(), ": ", name, " has shape ", x.shape(),
                      ", input_ids ", ids.shape());
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

class Keep : public Probe {
 public:
  Keep(bool attentions, bool hidden, NamedTensors& out)
      : attentions_(attentions), hidden_(hidden), out_(out) {}
  bool wants_attention() const override { return attentions_; }
  void see(std::string_view name, int64_t layer, const Tensor& value) override {
    const bool wanted = name == "attentions" ? attentions_ : name == "hidden_states" && hidden_;
    if (wanted) out_.emplace_back(text_of(name, ".", layer), value.detach());
  }

 private:
  bool attentions_, hidden_;
  NamedTensors& out_;
};

}  // namespace

void run_forward(const ForwardRequest& request) {
  const Model model = open_model(request.directory, {.allow_nonfinite = request.allow_nonfinite});
  const SafetensorsFile file(request.input);
  const Tensor ids = read_ids(file, "input_ids");
  NamedTensors out;
  Keep keep(request.attentions, request.hidden, out);
  Run run;
  run.probe = &keep;
  if (file.has("attention_mask")) {
    const Tensor mask = read_ids(file, "attention_mask");
    check_shape(file, "attention_mask", mask, ids);
    run.key_mask = cast(mask, DType::boolean);
  }
  ensure<FormatError>(!request.grads || file.has("labels"), request.input,
                      ": --grads needs a tensor named labels");
  const Tensor logits = model.causal.forward(ids, run);
  out.emplace_back("logits", logits.detach());
  if (file.has("labels")) {
    const Tensor labels = read_ids(file, "labels");
    check_shape(file, "labels", labels, ids);
    const Tensor loss = cross_entropy(logits, shifted(labels));
    out.emplace_back("loss", loss.detach());
    if (request.grads) {
      const std::vector<Tensor> leaves = model.store->trained();
      const std::vector<Tensor> grads = gradients(loss, leaves);
      size_t i = 0;
      for (const Param& p : model.store->all())
        if (p.trained)
          for (auto& [name, grad] : model.store->in_file_layout(p, grads[i++]))
            out.emplace_back("grads." + name, std::move(grad));
    }
  }
  save_safetensors(request.output, out);
}

}  // namespace jogak
