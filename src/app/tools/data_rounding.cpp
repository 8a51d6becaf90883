#include "app/tools/data_rounding.h"

#include <algorithm>
#include <filesystem>

#include "app/measure/eval.h"
#include "app/train/recipe.h"
#include "base/file.h"
#include "base/progress.h"
#include "ops/linear_watch.h"

namespace jogak {
namespace {

constexpr double kMomentBytes = 512e6;  // of moments that are gathered in one pass
constexpr int64_t kTextTokens =
    16384;  // of a text; lines, images and series are taken as they are:
constexpr int64_t kOtherItems = 512;
constexpr int64_t kTokensTogether = 2048;  // tokens that go through the model together

using Gathered = std::map<const void*, Moments>;  // by where the weight lies

void gather_moments(const Model& model, const RoundingData& from, const std::string& title,
                    Gathered& to) {
  EvalOptions c;
  c.directory = from.directory, c.data = from.data, c.loss_only = true, c.lang = from.lang;
  const bool windows = (model.causal.forward || model.encoder.task == EncoderTask::fill) &&
                       !model.translates() &&
                       !run_recipe(from.directory).data.kind.ends_with("lines");
  const int64_t length = std::max<int64_t>(model.context, 1);
  c.most = windows ? std::max<int64_t>(kTextTokens / length, 1) : kOtherItems;
  c.batch = windows ? std::clamp<int64_t>(kTokensTogether / length, 1, 64) : 16;
  c.title = title;
  const LinearWatch watch([&](const Tensor& x, const Tensor& weight) {
    const auto at = to.find(weight.raw());
    if (at != to.end()) at->second.add(x);
  });
  evaluate(model, c);
}

// As many weights as their moments fit the memory, one at least.
std::vector<const Param*> next_weights(std::vector<const Param*>& left) {
  std::vector<const Param*> out;
  double bytes = 0;
  while (!left.empty()) {
    const double more = Moments::bytes(left.front()->value.dim(1));
    if (!out.empty() && bytes + more > kMomentBytes) break;
    bytes += more;
    out.push_back(left.front());
    left.erase(left.begin());
  }
  return out;
}

}  // namespace

RoundedFiles::RoundedFiles(std::string folder) : folder_(std::move(folder)) {
  make_directories(folder_);
}

RoundedFiles::~RoundedFiles() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void RoundedFiles::keep(const std::string& name, const RoundedMatrix& rounded) {
  const std::string file = join_path(folder_, text_of(kept_.size(), ".safetensors"));
  save_safetensors(file, {{"codes", rounded.matrix.codes}, {"scales", rounded.matrix.scales}});
  kept_[name] = {file, rounded.matrix.bits, rounded.matrix.group, rounded.error, rounded.nearest};
}

bool RoundedFiles::has(const QuantizedPlan& plan) const {
  const auto at = kept_.find(plan.name);
  return at != kept_.end() && at->second.bits == plan.bits && at->second.group == plan.group;
}

QuantizedMatrix RoundedFiles::get(const QuantizedPlan& plan) const {
  const SafetensorsFile file(kept_.at(plan.name).file);
  return {plan.bits, plan.group, file.get("codes"), file.get("scales"), {}};
}

std::vector<std::string> rounded_parts(const Model& model, const Param& p,
                                       const QuantizeMatrices& matrices) {
  std::vector<std::string> out;
  if (p.kind != WeightKind::matrix || p.value.rank() != 2) return out;
  if (p.parts.empty()) out.push_back(model.store->file_name(p.name));
  for (const ParamPart& part : p.parts) out.push_back(model.store->file_name(part.name));
  const bool all = std::all_of(out.begin(), out.end(), [&](const std::string& name) {
    const auto at = matrices.find(name);
    return at != matrices.end() && !at->second.table;
  });
  return all ? out : std::vector<std::string>();
}

Tensor planned_matrix(const ModelFiles& files, const QuantizeMatrix& one) {
  const Tensor there = files.get(one.plan.name);
  if (!one.transposed) return there;
  return dense(there.view({there.dim(1), there.dim(0)}, {there.strides()[1], there.strides()[0]},
                          there.offset()));
}

void round_on_data(const Model& model, const ModelFiles& files, const QuantizeMatrices& matrices,
                   const RoundingData& from, RoundedFiles& out) {
  std::vector<const Param*> left;
  for (const Param& p : model.store->all())
    if (!rounded_parts(model, p, matrices).empty()) left.push_back(&p);
  const bool ko = from.lang == Lang::ko;
  const auto all = static_cast<int64_t>(left.size());
  while (!left.empty()) {
    const int64_t done = all - static_cast<int64_t>(left.size());
    const std::vector<const Param*> weights = next_weights(left);
    Gathered gathered;
    for (const Param* p : weights) gathered.emplace(p->value.raw(), Moments(p->value.dim(1)));
    gather_moments(model, from, ko ? "층의 입력 읽기" : "reading what layers read", gathered);
    Progress progress(ko ? "반올림" : "rounding", all, from.lang);
    for (size_t i = 0; i < weights.size(); ++i) {
      progress.update(done + static_cast<int64_t>(i));
      const auto at = gathered.find(weights[i]->value.raw());
      if (at == gathered.end() || at->second.rows() == 0) continue;  // nobody used it
      for (const std::string& name : rounded_parts(model, *weights[i], matrices)) {
        ensure<Stopped>(!stop_asked().load(), "stopped");
        const QuantizeMatrix& one = matrices.at(name);
        out.keep(name, rounded_for(planned_matrix(files, one), one.plan.bits, one.plan.group,
                                   at->second));
      }
      gathered.erase(at);
    }
    progress.finish();
  }
}

}  // namespace jogak
