#include "look/attention_book.h"

#include <cmath>

#include "look/head_tiles.h"

#include "tests/support/expect.h"

namespace jogak {
namespace {

// One head of 6 queries and 9 keys whose weights are known: (query * 9 + key) / 54.
HeadWeights rising() {
  std::vector<float> values;
  for (int i = 0; i < 54; ++i) values.push_back(static_cast<float>(i) / 54);
  return HeadWeights(from_values(values, {6, 9}));
}

TEST(Tiles, ADotIsTheLargestOfItsBlockAsASquareRoot) {
  const HeadWeights head = rising();
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
  const HeadWeights head = rising();
  const Tile right = tile(head, {.x = 1, .y = 0, .side = 8}, 1);
  EXPECT_EQ(right.width, 1);
  EXPECT_EQ(right.height, 6);
  EXPECT_EQ(right.bytes[1], weight_byte(17.0f / 54, 1));
  EXPECT_TRUE(tile(head, {.x = 2, .side = 8}, 1).bytes.empty());
  EXPECT_THROW(tile(head, {.zoom = 21}, 1), UsageError);
  EXPECT_THROW(tile(head, {.x = -1}, 1), UsageError);
}

TEST(Tiles, AThumbnailShowsEveryWeightSomewhere) {
  const auto [small, high] = thumbnail(rising(), 4);
  EXPECT_EQ(small.width, 4);
  EXPECT_EQ(small.height, 4);
  EXPECT_FLOAT_EQ(high, 53.0f / 54);
  EXPECT_EQ(small.bytes.back(), 255);
  EXPECT_EQ(small.bytes[0], weight_byte(1.0f / 54, high));  // of columns 0 and 1 of the first row
  EXPECT_EQ(thumbnail(rising(), 64).tile.bytes.size(), 54u);
}

TEST(Tiles, BytesKeepTheirRange) {
  EXPECT_EQ(weight_byte(0, 1), 0);
  EXPECT_EQ(weight_byte(1, 1), 255);
  EXPECT_EQ(weight_byte(2, 1), 255);
  EXPECT_EQ(weight_byte(NAN, 1), 0);
  EXPECT_EQ(weight_byte(1, 0), 0);
}

TEST(Links, TheStrongestComeFirst) {
  const HeadWeights head = rising();
  const auto all = strongest(head, 3);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].query, 5);
  EXPECT_EQ(all[0].key, 8);
  EXPECT_EQ(all[2].key, 6);
  const auto one = strongest(head, 2, 1);
  EXPECT_EQ(one[0].query, 1);
  EXPECT_EQ(one[0].key, 8);
  EXPECT_TRUE(strongest(head, 0).empty());
  EXPECT_EQ(strongest(head, 100).size(), 53u);  // what is 0, as what is masked is, is no link
  EXPECT_THROW(strongest(head, 1, 6), UsageError);
}

// The worked example every lesson uses: q, k of three tokens, with a mask and a bias.
TEST(Cells, EveryNumberOfOneWeight) {
  const Tensor q = from_values<float>({1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0}, {1, 3, 1, 4});
  const Tensor k = from_values<float>({1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0}, {1, 3, 1, 4});
  AttentionBook::Given given{.q = q, .k = k, .options = {.scale = 0.5}};
  const auto kept = [&](int64_t query, int64_t key) { return given.head(0, 0).at(query, key); };
  const CellMath cell = cell_math(given, 0, 0, 0, 2);
  EXPECT_EQ(cell.dot, 2);
  EXPECT_EQ(cell.scale, 0.5);
  EXPECT_EQ(cell.score, 1);
  EXPECT_NEAR(cell.weight, 0.451863, 1e-6);
  EXPECT_NEAR(kept(0, 2), cell.weight, 1e-6);
  EXPECT_EQ(cell.q, (std::vector<double>{1, 0, 1, 0}));

  given.options.causal = true;
  EXPECT_TRUE(cell_math(given, 0, 0, 0, 2).masked);
  EXPECT_EQ(cell_math(given, 0, 0, 0, 2).weight, 0);
  EXPECT_EQ(cell_math(given, 0, 0, 0, 0).weight, 1);

  given.options.key_bias = from_values<float>({0, -1, 2}, {1, 1, 3});
  const CellMath last = cell_math(given, 0, 0, 2, 1);
  EXPECT_EQ(last.bias, -1);
  EXPECT_NEAR(last.weight, kept(2, 1), 1e-6);
  EXPECT_THROW(cell_math(given, 0, 0, 3, 0), UsageError);
  EXPECT_THROW(cell_math(given, 0, 1, 0, 0), UsageError);

  given.options.window = 2;
  EXPECT_TRUE(cell_math(given, 0, 0, 2, 0).masked);
  EXPECT_NEAR(cell_math(given, 0, 0, 2, 2).weight, kept(2, 2), 1e-6);
  given.options = {.scale = 0.5, .distance_bias = from_values<float>({0, 1, -1, 2, 0.5}, {1, 5})};
  const CellMath far = cell_math(given, 0, 0, 0, 2);
  EXPECT_EQ(far.bias, 0.5);  // two places on: the last of the five distances
  EXPECT_NEAR(far.weight, kept(0, 2), 1e-6);
  EXPECT_EQ(cell_math(given, 0, 0, 2, 0).bias, 0);
  given.options = {.scale = 0.5, .cap = 0.25};
  EXPECT_NEAR(cell_math(given, 0, 0, 0, 2).weight, kept(0, 2), 1e-6);
  EXPECT_EQ(cell_math(given, 0, 0, 0, 2).score, 0.25 * std::tanh(1 / 0.25));
}

// Weights made again for one head alone are those of all heads at once, to the bit.
TEST(Heads, AloneAndTogetherHaveTheSameBits) {
  std::vector<float> values;
  for (int i = 0; i < 2 * 70 * 4 * 8; ++i) values.push_back(std::sin(static_cast<float>(i) * 0.7f));
  const Tensor q = from_values(values, {2, 70, 4, 8});
  values.resize(2 * 70 * 2 * 8);
  for (float& x : values) x = x * 3 - 1;
  const Tensor k = from_values(values, {2, 70, 2, 8});
  std::vector<float> bias(4 * 70);
  for (size_t i = 0; i < bias.size(); ++i) bias[i] = -0.01f * static_cast<float>(i);
  const AttentionOptions options{
      .causal = true, .scale = 0.3, .key_bias = from_values(bias, {1, 4, 70})};
  const Tensor all = attention_weights(q, k, options);  // [2, 4, 70, 70]
  const std::vector<float> wanted = to_host<float>(all);
  const AttentionBook::Given given{.q = q, .k = k, .options = options};
  for (int64_t row = 0; row < 2; ++row)
    for (int64_t h = 0; h < 4; ++h) {
      const HeadWeights head = given.head(row, h);
      const size_t first = static_cast<size_t>((row * 4 + h) * 70 * 70);
      EXPECT_TRUE(std::equal(head.values, head.values + 70 * 70,
                             wanted.begin() + static_cast<ptrdiff_t>(first)));
    }
}

}  // namespace
}  // namespace jogak
