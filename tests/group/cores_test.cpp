#include "group/cores.h"

#include <gtest/gtest.h>

namespace jogak {
namespace {

using Places = std::vector<std::vector<int>>;

std::vector<Processor> without_topology(int count) {
  std::vector<Processor> out;
  for (int i = 0; i < count; ++i) out.push_back({i, 0, i});
  return out;
}

TEST(Cores, EachProcessHasAStretchOfThem) {
  EXPECT_EQ(processors_of(without_topology(4), 2), (Places{{0, 1}, {2, 3}}));
  EXPECT_EQ(processors_of(without_topology(4), 4), (Places{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(processors_of(without_topology(4), 3), (Places{{0, 1}, {2}, {3}}));
}

// Linux counts the second processors of all cores behind the first ones.
TEST(Cores, ThoseOfOneCoreStayTogether) {
  std::vector<Processor> all;
  for (int i = 0; i < 8; ++i) all.push_back({i, i % 4 / 2, i % 4});
  EXPECT_EQ(processors_of(all, 4), (Places{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(processors_of(all, 2), (Places{{0, 4, 1, 5}, {2, 6, 3, 7}}));
}

TEST(Cores, MoreProcessesThanProcessorsAreNotPlaced) {
  EXPECT_TRUE(processors_of(without_topology(2), 3).empty());
  EXPECT_FALSE(own_processors().empty());
}

}  // namespace
}  // namespace jogak
