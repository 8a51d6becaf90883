#include "look/attention_book.h"

#include <cmath>

#include "tests/support/expect.h"

namespace jogak {
namespace {

// One head of 6 queries and 9 keys whose weights are known: (query * 9 + key) / 54.
AttentionMap rising() {
  std::vector<float> values;
  for (int i = 0; i < 54; ++i) values.push_back(static_cast<float>(i) / 54);
  return {"self", 0, from_values(values, {1, 1, 6, 9})};
}

TEST(Tiles, ADotIsTheLargestOfItsBlockAsASquareRoot) {
  const AttentionMap map = rising();
  const HeadWeights head = head_weights(map, 0, 0);
  EXPECT_FLOAT_EQ(largest(head), 53.0f / 54);
  const Tile whole = tile(head, {.zoom = 0}, 1);
  EXPECT_EQ(whole.width, 9);
  EXPECT_EQ(whole.height, 6);
  EXPECT_EQ(whole.bytes[10], std::lround(255 * std::sqrt(10.0 / 54)));
  const Tile half = tile(head, {.zoom = 1}, 1);
  EXPECT_EQ(half.width, 5);  // the last dot stands for one column
  EXPECT_EQ(half.height, 3);
  EXPECT_EQ(half.bytes[0], whole.bytes[10]);
  EXPECT_EQ(half.bytes[4], whole.bytes[17]);
}

TEST(Tiles, AreCutAtTheEdgeAndEmptyBeyond) {
  const AttentionMap map = rising();
  const HeadWeights head = head_weights(map, 0, 0);
  const Tile right = tile(head, {.x = 1, .y = 0, .side = 8}, 1);
  EXPECT_EQ(right.width, 1);
  EXPECT_EQ(right.height, 6);
  EXPECT_EQ(right.bytes[1], weight_byte(17.0f / 54, 1));
  EXPECT_TRUE(tile(head, {.x = 2, .side = 8}, 1).bytes.empty());
  EXPECT_THROW(tile(head, {.zoom = 21}, 1), UsageError);
  EXPECT_THROW(tile(head, {.x = -1}, 1), UsageError);
}

TEST(Tiles, AThumbnailShowsEveryWeightSomewhere) {
  const AttentionMap map = rising();
  const Tile small = thumbnail(head_weights(map, 0, 0), 4, 1);
  EXPECT_EQ(small.width, 4);
  EXPECT_EQ(small.height, 4);
  EXPECT_EQ(small.bytes.back(), weight_byte(53.0f / 54, 1));
  EXPECT_EQ(thumbnail(head_weights(map, 0, 0), 64, 1).bytes.size(), 54u);
}

TEST(Tiles, BytesKeepTheirRange) {
  EXPECT_EQ(weight_byte(0, 1), 0);
  EXPECT_EQ(weight_byte(1, 1), 255);
  EXPECT_EQ(weight_byte(2, 1), 255);
  EXPECT_EQ(weight_byte(NAN, 1), 0);
  EXPECT_EQ(weight_byte(1, 0), 0);
}

TEST(Links, TheStrongestComeFirst) {
  const AttentionMap map = rising();
  const HeadWeights head = head_weights(map, 0, 0);
  const auto all = strongest(head, 3);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].query, 5);
  EXPECT_EQ(all[0].key, 8);
  EXPECT_EQ(all[2].key, 6);
  const auto one = strongest(head, 2, 1);
  EXPECT_EQ(one[0].query, 1);
  EXPECT_EQ(one[0].key, 8);
  EXPECT_TRUE(strongest(head, 0).empty());
  EXPECT_THROW(strongest(head, 1, 6), UsageError);
}

// The worked example every lesson uses: q, k of three tokens, with a mask and a bias.
TEST(Cells, EveryNumberOfOneWeight) {
  const Tensor q = from_values<float>({1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0}, {1, 3, 1, 4});
  const Tensor k = from_values<float>({1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0}, {1, 3, 1, 4});
  AttentionBook::Given given{q, k, {.scale = 0.5}};
  AttentionMap map{"self", 0, attention_weights(q, k, given.options)};
  const CellMath cell = cell_math(map, given, 0, 0, {0, 2});
  EXPECT_EQ(cell.dot, 2);
  EXPECT_EQ(cell.scale, 0.5);
  EXPECT_EQ(cell.score, 1);
  EXPECT_NEAR(cell.weight, 0.451863, 1e-6);
  EXPECT_NEAR(cell.kept, cell.weight, 1e-6);
  EXPECT_EQ(cell.q, (std::vector<double>{1, 0, 1, 0}));

  given.options.causal = true;
  map.weights = attention_weights(q, k, given.options);
  EXPECT_TRUE(cell_math(map, given, 0, 0, {0, 2}).masked);
  EXPECT_EQ(cell_math(map, given, 0, 0, {0, 2}).weight, 0);
  EXPECT_EQ(cell_math(map, given, 0, 0, {0, 0}).weight, 1);

  given.options.key_bias = from_values<float>({0, -1, 2}, {1, 1, 3});
  map.weights = attention_weights(q, k, given.options);
  const CellMath last = cell_math(map, given, 0, 0, {2, 1});
  EXPECT_EQ(last.bias, -1);
  EXPECT_NEAR(last.weight, last.kept, 1e-6);
  EXPECT_THROW(cell_math(map, given, 0, 0, {3, 0}), UsageError);
  EXPECT_THROW(cell_math(map, given, 0, 1, {0, 0}), UsageError);
}

}  // namespace
}  // namespace jogak
