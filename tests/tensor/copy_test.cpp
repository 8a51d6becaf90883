// Copies between layouts, against plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "tensor/tensor.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

// A view of `shape` into fresh memory: axes in random order, with gaps, an offset, and (for
// reading) axes that are repeated. The memory around it is filled with a mark.
constexpr double kMark = 99;
struct Layout {
  Tensor base, view;
};
Layout random_layout(const Shape& shape, DType dtype, bool repeat, Rng& rng) {
  const int rank = shape.rank();
  std::vector<int> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  Strides strides = shape;
  int64_t step = 1 + static_cast<int64_t>(rng.below(3));
  for (const int axis : order) {
    const bool same = repeat && rng.below(4) == 0;
    strides[axis] = same ? 0 : step;
    if (!same) step *= std::max<int64_t>(shape[axis], 1) + static_cast<int64_t>(rng.below(2));
  }
  const auto offset = static_cast<int64_t>(rng.below(5));
  const Tensor base = full({offset + step + 8}, kMark, dtype);
  return {base, base.view(shape, strides, offset)};
}

// Calls visit(place in a, place in b) for every element, in order.
template <class Visit>
void for_each_place(const Shape& shape, const Tensor& a, const Tensor& b, Visit&& visit) {
  for (int64_t i = 0; i < shape.count(); ++i) {
    int64_t rest = i, at = a.offset(), bt = b.offset();
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      at += rest % shape[axis] * a.strides()[axis];
      bt += rest % shape[axis] * b.strides()[axis];
      rest /= shape[axis];
    }
    visit(at, bt);
  }
}

void expect_copied(const Layout& to, const Layout& from, Rng& rng) {
  std::vector<double> source(static_cast<size_t>(from.base.count()));
  for (double& v : source) v = static_cast<double>(rng.below(2));  // every dtype holds these
  copy_into(from.base, from_values(source, from.base.shape()));
  std::vector<double> wanted = to_host<double>(to.base);
  for_each_place(to.view.shape(), to.view, from.view, [&](int64_t a, int64_t b) {
    wanted[static_cast<size_t>(a)] = source[static_cast<size_t>(b)];
  });
  copy_into(to.view, from.view);
  ASSERT_EQ(to_host<double>(to.base), wanted)
      << to.view.shape() << " " << to.view.strides() << " from " << from.view.strides();
}

Shape random_shape(int rank, uint64_t below, Rng& rng) {
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < rank; ++axis) sizes.push_back(static_cast<int64_t>(rng.below(below)));
  return Shape(sizes);
}

TEST(Copy, AnyLayoutToAnyOther) {
  Rng rng(5);
  for (int round = 0; round < 2000; ++round) {
    const Shape shape = random_shape(static_cast<int>(rng.below(6)), 6, rng);
    expect_copied(random_layout(shape, DType::f32, false, rng),
                  random_layout(shape, DType::f32, true, rng), rng);
    if (HasFatalFailure()) return;
  }
}

TEST(Copy, EightAxes) {
  Rng rng(6);
  for (int round = 0; round < 50; ++round) {
    const Shape shape = random_shape(8, 3, rng).with(3, 2).with(5, 2);
    expect_copied(random_layout(shape, DType::f64, false, rng),
                  random_layout(shape, DType::f64, true, rng), rng);
    if (HasFatalFailure()) return;
  }
}

TEST(Copy, EveryTypeToEveryOther) {
  Rng rng(7);
  const DType all[] = {DType::f32, DType::f64, DType::bf16, DType::f16,
                       DType::i32, DType::i64, DType::u8,   DType::boolean};
  for (const DType to : all)
    for (const DType from : all) {
      expect_copied(random_layout({3, 5}, to, false, rng), random_layout({3, 5}, from, true, rng),
                    rng);
      if (HasFatalFailure()) FAIL() << to << " from " << from;
    }
}

// Long enough for several pieces of work, whole rows and parts of one row.
TEST(Copy, LargeOnesOnAnyNumberOfThreads) {
  const int before = thread_count();
  for (const Shape& shape : {Shape{70'000}, Shape{300, 301}, Shape{2, 40'000}, Shape{40'000, 2}}) {
    for (const int threads : {1, 2, 4}) {
      set_thread_count(threads);
      Rng rng(8);
      for (int round = 0; round < 3; ++round)
        expect_copied(random_layout(shape, DType::f32, false, rng),
                      random_layout(shape, DType::f32, round == 2, rng), rng);
    }
  }
  set_thread_count(before);
}

TEST(Copy, DenseIsTheTensorItselfOrAPackedCopy) {
  const Tensor x = from_values(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(dense(x).raw(), x.raw());
  const Tensor transposed = x.view({3, 2}, {1, 3}, 0);
  const Tensor packed = dense(transposed);
  EXPECT_NE(packed.raw(), x.raw());
  EXPECT_TRUE(packed.is_dense());
  EXPECT_EQ(to_host<float>(packed), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(to_host<float>(transposed), to_host<float>(packed));
  EXPECT_NE(clone(x).raw(), x.raw());  // a clone is always a copy
  const Tensor row = x.view({3}, {1}, 3);
  EXPECT_EQ(dense(row).raw(), row.raw());  // an offset alone is dense
  EXPECT_EQ(to_host<float>(clone(row)), (std::vector<float>{4, 5, 6}));
}

TEST(Copy, CastConvertsAndPacks) {
  const Tensor x = from_values(std::vector<double>{1.75, -2.5, 1e300}, {3});
  EXPECT_EQ(cast(x, DType::f64).raw(), x.raw());
  EXPECT_EQ(to_host<float>(x)[2], INFINITY);
  const Tensor halves = cast(x, DType::bf16);
  EXPECT_EQ(halves.dtype(), DType::bf16);
  EXPECT_EQ(to_host<double>(halves)[0], 1.75);
}

TEST(CopyErrors, ShapesMustBeEqual) {
  expect_error<ShapeError>(
      [] {
        copy_into(zeros({2, 3}), zeros({3, 2}));
      },
      "copy: from shape [3, 2] to [2, 3]");
}

}  // namespace
}  // namespace jogak
