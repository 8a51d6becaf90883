#include "train/tree.h"

namespace jogak {

std::vector<TreeNode> nodes_of(int64_t process, int64_t processes, int64_t count) {
  TreeSum<char> sum;
  const auto [begin, end] = micro_batches_of(process, processes, count);
  for (int64_t i = begin; i < end; ++i) sum.push({i, 1}, 0, [](char, char) {});
  std::vector<TreeNode> out;
  for (const auto& part : sum.parts()) out.push_back(part.node);
  return out;
}

double tree_sum(const std::vector<double>& values) {
  TreeSum<double> sum;
  for (size_t i = 0; i < values.size(); ++i)
    sum.push({static_cast<int64_t>(i), 1}, values[i],
             [](double& left, double right) { left += right; });
  return values.empty() ? 0 : sum.parts()[0].value;
}

}  // namespace jogak
