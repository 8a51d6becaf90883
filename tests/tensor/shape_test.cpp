#include "tensor/shape.h"

#include <gtest/gtest.h>

#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Shapes, AxesCountFromBothEnds) {
  const Shape s{2, 3, 5};
  EXPECT_EQ(s.rank(), 3);
  EXPECT_EQ(s.count(), 30);
  for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(s.dim(axis), s.dim(axis - 3));
  EXPECT_EQ(s.dim(-1), 5);
  expect_error<ShapeError>([&] { s.dim(3); }, "axis 3 of shape [2, 3, 5]");
  expect_error<ShapeError>([&] { s.dim(-4); }, "axis -4 of shape [2, 3, 5]");
}

TEST(Shapes, AScalarHasOneElementAndAnEmptyAxisNone) {
  EXPECT_EQ(Shape{}.count(), 1);
  EXPECT_EQ((Shape{4, 0, 3}).count(), 0);
  EXPECT_EQ(text_of(Shape{}, Shape{7}, Shape{1, 0}), "[][7][1, 0]");
}

TEST(Shapes, AxesAreReplacedRemovedAndAdded) {
  const Shape s{2, 3, 5};
  EXPECT_EQ(s.with(-2, 7), (Shape{2, 7, 5}));
  EXPECT_EQ(s.without(0), (Shape{3, 5}));
  EXPECT_EQ(s.without(-1), (Shape{2, 3}));
  EXPECT_EQ(s.plus(4), (Shape{2, 3, 5, 4}));
  EXPECT_EQ(Shape{3}.without(0), Shape{});
  EXPECT_NE(Shape{3}, (Shape{3, 1}));
  EXPECT_NE(Shape{3}, Shape{4});
  EXPECT_EQ(s, (Shape{2, 3, 5}));  // itself unchanged
  error_of<ShapeError>([] { Shape{}.without(0); });
}

TEST(Shapes, HaveAtMostEightAxes) {
  const Shape eight{1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(eight.rank(), Shape::kMaxRank);
  expect_error<ShapeError>([&] { eight.plus(1); },
                           "no room for another axis in [1, 1, 1, 1, 1, 1, 1, 1]");
  expect_error<ShapeError>([] { Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}; },
                           "a shape of 9 axes, wanted at most 8");
}

TEST(Shapes, RowMajorStepsAreProductsOfWhatFollows) {
  EXPECT_EQ(row_major({2, 3, 5}), (Strides{15, 5, 1}));
  EXPECT_EQ(row_major({}), Strides{});
  EXPECT_EQ(row_major({2, 0, 5}), (Strides{5, 5, 1}));  // an empty axis counts as one
}

TEST(Broadcast, OnesAndMissingAxesStretch) {
  const auto both = [](const Shape& a, const Shape& b) {
    EXPECT_EQ(broadcast("op", a, b), broadcast("op", b, a));
    return broadcast("op", a, b);
  };
  EXPECT_EQ(both({2, 3}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(both({2, 3}, {3}), (Shape{2, 3}));
  EXPECT_EQ(both({2, 1}, {3}), (Shape{2, 3}));
  EXPECT_EQ(both({4, 1, 3}, {5, 1}), (Shape{4, 5, 3}));
  EXPECT_EQ(both({}, {2, 2}), (Shape{2, 2}));
  EXPECT_EQ(both({0, 3}, {1, 3}), (Shape{0, 3}));
  EXPECT_EQ(both({2, 0}, {}), (Shape{2, 0}));
  expect_error<ShapeError>(
      [] {
        broadcast("add", {2, 3}, {4, 3});
      },
      "add: shapes [2, 3] and [4, 3] do not broadcast: axis -2 has 2 and 4");
  error_of<ShapeError>([] { broadcast("add", {2, 0}, {2, 3}); });
}

}  // namespace
}  // namespace jogak
