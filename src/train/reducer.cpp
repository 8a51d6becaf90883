#include "train/reducer.h"

#include <algorithm>

namespace jogak {
namespace {

// "h.3.attn.c_attn.weight" -> "h.3"; "wte.weight" -> "wte"; "scale" -> "scale".
std::string bucket_name(std::string_view param) {
  size_t begin = 0;
  while (begin < param.size()) {
    const size_t end = std::min(param.find('.', begin), param.size());
    const std::string_view part = param.substr(begin, end - begin);
    const bool number = !part.empty() && std::all_of(part.begin(), part.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    if (number) return std::string(param.substr(0, end));
    begin = end + 1;
  }
  return std::string(param.substr(0, param.rfind('.')));
}

}  // namespace

std::vector<Bucket> buckets_of(const ParamStore& params) {
  std::vector<Bucket> out;
  size_t place = 0;
  for (const Param& p : params.all()) {
    if (!p.trained) continue;
    const std::string name = bucket_name(p.name);
    const auto at =
        std::find_if(out.begin(), out.end(), [&](const Bucket& b) { return b.name == name; });
    Bucket& bucket = at == out.end() ? out.emplace_back(Bucket{name, {}}) : *at;
    bucket.members.push_back(place++);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void reduce_gradients(GradientReducer& reducer, std::span<const Bucket> buckets,
                      std::span<Tensor> grads) {
  std::vector<Tensor> tensors;
  for (const Bucket& bucket : buckets) {
    tensors.clear();
    for (const size_t place : bucket.members) {
      Tensor& grad = grads[place];
      if (grad.storage().use_count() > 1 || !grad.is_dense()) grad = clone(grad);
      tensors.push_back(std::move(grad));
    }
    reducer.reduce(bucket.name, tensors);
    for (size_t i = 0; i < tensors.size(); ++i) grads[bucket.members[i]] = std::move(tensors[i]);
  }
}

}  // namespace jogak
