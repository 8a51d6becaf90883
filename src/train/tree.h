// The one order in which a step's micro-batches are added: a binary tree over them, whoever
// computes which. A process adds the subtrees that lie within its own stretch; whoever has the
// stretches of all adds those, and the sum is the same to the bit.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/processes.h"

namespace jogak {

struct TreeNode {  // the sum of micro-batches first .. first + size - 1; size is a power of two
  int64_t first = 0, size = 1;
  bool operator==(const TreeNode&) const = default;
};

inline bool is_power_of_two(int64_t count) { return count > 0 && (count & (count - 1)) == 0; }

inline bool siblings(TreeNode left, TreeNode right) {
  return left.size == right.size && left.first + left.size == right.first &&
         left.first % (2 * left.size) == 0;
}

template <class Value>
class TreeSum {
 public:
  struct Part {
    TreeNode node;
    Value value;
  };

  // Nodes come in order. `add` is called as add(left, right) and leaves the sum in `left`.
  template <class Add>
  void push(TreeNode node, Value value, const Add& add) {
    while (!parts_.empty() && siblings(parts_.back().node, node)) {
      add(parts_.back().value, value);
      node = {parts_.back().node.first, 2 * node.size};
      value = std::move(parts_.back().value);
      parts_.pop_back();
    }
    parts_.push_back({node, std::move(value)});
  }

  std::vector<Part>& parts() { return parts_; }  // the largest subtrees there are, in order

 private:
  std::vector<Part> parts_;
};

// The micro-batches that a process computes, of `count`: aligned blocks where the processes divide
// them, else stretches of nearly the same length.
inline std::pair<int64_t, int64_t> micro_batches_of(int64_t process, int64_t processes,
                                                    int64_t count) {
  return {count * process / processes, count * (process + 1) / processes};
}

std::vector<TreeNode> nodes_of(int64_t process, int64_t processes, int64_t count);

// Of numbers that every process has, in the tree's order.
double tree_sum(const std::vector<double>& values);

}  // namespace jogak
