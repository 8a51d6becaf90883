// Gradients through graphs of every form.
#include <gtest/gtest.h>

#include <thread>

#include "tests/autograd/toy.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Numbers = std::vector<double>;

TEST(Gradients, OfADiamondAddUp) {
  const Tensor x = leaf(toy::numbers({1, 2}));
  const Tensor left = toy::scale(x, 3), right = toy::mul(x, x);
  EXPECT_EQ(toy::grad(toy::mul(left, right), x), (Numbers{9, 36}));  // d 3x^3 = 9x^2
}

TEST(Gradients, OfDiamondsInARowDoubleEachTime) {
  const Tensor x = leaf(toy::numbers({1}));
  Tensor y = x;
  for (int i = 0; i < 50; ++i) y = toy::add(y, y);  // 2^50 paths, each edge walked once
  EXPECT_EQ(toy::grad(y, x), Numbers{0x1p50});
}

TEST(Gradients, OfTheSameTensorTwice) {
  const Tensor x = leaf(toy::numbers({5, -2}));
  EXPECT_EQ(toy::grad(toy::add(x, x), x), (Numbers{2, 2}));
  EXPECT_EQ(toy::grad(toy::mul(x, x), x), (Numbers{10, -4}));
}

// add hands one gradient to both inputs, and reshape shares its memory: adding into it for one
// path must not change what the other path sees.
TEST(Gradients, ThatShareMemoryAreNotAddedInPlace) {
  const Tensor x = leaf(toy::numbers({1, 2, 3, 4})), z = leaf(toy::numbers({5, 6, 7, 8}));
  const Tensor a = toy::reshape(toy::reshape(x, {2, 2}), {4});
  const Tensor y = toy::add(toy::add(a, z), toy::add(a, toy::scale(z, 10)));
  const auto grads = gradients(toy::sum(y), std::vector{x, z});
  EXPECT_EQ(to_host<double>(grads[0]), (Numbers{2, 2, 2, 2}));
  EXPECT_EQ(to_host<double>(grads[1]), (Numbers{11, 11, 11, 11}));
}

TEST(Gradients, OfDifferentLeavesCanBeChangedOneByOne) {
  const Tensor a = leaf(toy::numbers({1, 2})), b = leaf(toy::numbers({3, 4}));
  const auto grads = gradients(toy::sum(toy::add(a, b)), std::vector{a, b, a});
  scale_in_place(grads[0], 10);
  EXPECT_EQ(to_host<double>(grads[0]), (Numbers{10, 10}));
  EXPECT_EQ(to_host<double>(grads[1]), (Numbers{1, 1}));
  EXPECT_EQ(to_host<double>(grads[2]), (Numbers{1, 1}));
}

// {leaf, how many ops had walked back when it was given away}, and the gradients themselves.
struct Given {
  std::vector<std::pair<size_t, int>> order;
  std::vector<Numbers> grads;
};
Given given_away(const Tensor& loss, const std::vector<Tensor>& leaves, const int& walked) {
  Given out;
  out.grads.resize(leaves.size());
  gradients(loss, leaves, [&](size_t leaf, Tensor grad) {
    out.order.emplace_back(leaf, walked);
    scale_in_place(grad, 1);  // nobody else's
    out.grads[leaf] = to_host<double>(grad);
  });
  return out;
}

// y = x * w, and `walked` counts its walks back.
Tensor counted_mul(const Tensor& x, const Tensor& w, int& walked) {
  return record("mul", toy::product(x, w), {x, w},
                [x = Saved(x), w = Saved(w), &walked](const Tensor& dy) {
                  ++walked;
                  return Grads{toy::product(dy, w.get()), toy::product(dy, x.get())};
                });
}

TEST(Gradients, AreGivenAwayAsSoonAsNothingMoreIsAddedToThem) {
  std::vector<Tensor> w;
  for (const double value : {2, 3, 5, 7}) w.push_back(leaf(toy::numbers({value, value + 1})));
  int walked = 0;
  Tensor y = counted_mul(w[0], w[1], walked);  // a table that is read at both ends
  y = counted_mul(y, w[2], walked);
  y = counted_mul(y, w[0], walked);
  const Tensor loss = toy::sum(y);  // w[3] is read by nobody
  const Given found = given_away(loss, w, walked);
  EXPECT_EQ(found.order, (std::vector<std::pair<size_t, int>>{{2, 2}, {0, 3}, {1, 3}, {3, 3}}));
  EXPECT_EQ(found.grads, (std::vector<Numbers>{{60, 144}, {20, 54}, {12, 36}, {0, 0}}));
}

TEST(Gradients, GivenAwayAreTheBitsOfThoseTakenTogether) {
  const Tensor a = leaf(toy::numbers({0.1, 0.7})), b = leaf(toy::numbers({0.3, -0.9}));
  const auto loss = [&] {
    Tensor y = toy::mul(a, b);
    for (int i = 0; i < 5; ++i) y = toy::add(toy::mul(y, a), toy::add(b, b));
    return toy::sum(y);
  };
  const auto together = gradients(loss(), std::vector{a, b});
  const Given found = given_away(loss(), {a, b}, 0);
  EXPECT_EQ(found.grads[0], to_host<double>(together[0]));
  EXPECT_EQ(found.grads[1], to_host<double>(together[1]));
}

TEST(Gradients, AreDense) {
  const Tensor x = leaf(from_values(Numbers{1, 2, 3, 4, 5, 6}, {2, 3}));
  const Tensor transposed =
      record("transpose", clone(x.view({3, 2}, {1, 3}, 0)), {x}, [](const Tensor& dy) {
        return Grads{dy.view({2, 3}, {1, 2}, 0)};
      });
  const Tensor weight = from_values(Numbers{1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor grad = gradients(toy::sum(toy::mul(transposed, weight)), std::vector{x})[0];
  EXPECT_TRUE(grad.is_dense());
  EXPECT_EQ(to_host<double>(grad), (Numbers{1, 3, 5, 2, 4, 6}));
}

TEST(Gradients, AWeightThatAnOpKeepsIsNotHandedOut) {
  const Tensor x = leaf(toy::numbers({1, 2})), weight = toy::numbers({3, 4});
  const Tensor y =
      record("dot", scalar(11, DType::f64), {x}, [weight](const Tensor&) { return Grads{weight}; });
  const auto grads = gradients(y, std::vector{x});
  fill(grads[0], 0);
  EXPECT_EQ(to_host<double>(weight), (Numbers{3, 4}));
}

TEST(Gradients, ALeafThatIsNotUsedGivesZeros) {
  const Tensor x = leaf(toy::numbers({1})), alone = leaf(zeros({2, 3}, DType::f32));
  const auto grads = gradients(toy::sum(x), std::vector{alone, x});
  EXPECT_EQ(text_of(grads[0].shape(), grads[0].dtype()), "[2, 3]f32");
  EXPECT_EQ(to_host<double>(grads[0]), Numbers(6, 0.0));
  EXPECT_EQ(to_host<double>(grads[1]), Numbers{1});
}

TEST(Gradients, TheLossMayBeTheLeafItself) {
  const Tensor x = leaf(scalar(3, DType::f64));
  EXPECT_EQ(item(gradients(x, std::vector{x})[0]), 1);
}

TEST(Gradients, OutputsThatNobodyUsesComeBackUndefined) {
  const Tensor x = leaf(toy::numbers({1, 2}));
  std::vector<Tensor> parts = {toy::numbers({1}), toy::numbers({2})};
  std::vector<bool> defined;
  record_many("parts", parts, std::vector{x}, [&](std::span<const Tensor> dy) {
    for (const Tensor& d : dy) defined.push_back(d.defined());
    return Grads{full({2}, item(dy[1]), DType::f64)};
  });
  EXPECT_EQ(toy::grad(toy::scale(parts[1], 7), x), (Numbers{7, 7}));
  EXPECT_EQ(defined, (std::vector<bool>{false, true}));
}

TEST(Gradients, AnInputMayHaveNothingToSay) {
  const Tensor x = leaf(toy::numbers({1})), ids = arange(0, 1);
  const Tensor y = record("pick", toy::numbers({4}), {x, ids, Tensor()}, [](const Tensor& dy) {
    return Grads{dy, Tensor(), Tensor()};
  });
  EXPECT_EQ(toy::grad(y, x), Numbers{1});
}

TEST(NoGrad, RecordsNothingUntilItGoes) {
  const Tensor x = leaf(toy::numbers({1, 2}));
  Tensor quiet;
  {
    const NoGrad outer;
    { const NoGrad inner; }
    EXPECT_FALSE(grad_enabled());
    EXPECT_FALSE(needs_grad(x));
    quiet = toy::scale(x, 2);
  }
  EXPECT_TRUE(grad_enabled());
  EXPECT_EQ(quiet.history(), nullptr);
  EXPECT_TRUE(needs_grad(x));
  EXPECT_NE(toy::scale(x, 2).history(), nullptr);
  // What was made meanwhile is a constant.
  EXPECT_EQ(toy::grad(toy::mul(x, quiet), x), (Numbers{2, 4}));
}

TEST(NoGrad, IsOneThreadsAffair) {
  const Tensor x = leaf(toy::numbers({1}));
  const NoGrad quiet;
  bool other = false;
  std::thread([&] { other = toy::scale(x, 2).history() != nullptr; }).join();
  EXPECT_TRUE(other);
}

TEST(NoGrad, BackwardRecordsNothingItself) {
  const Tensor x = leaf(toy::numbers({1}));
  bool recording = true;
  const Tensor y = record("look", toy::numbers({1}), {x}, [&](const Tensor& dy) {
    recording = grad_enabled();
    return Grads{dy};
  });
  toy::grad(y, x);
  EXPECT_FALSE(recording);
  EXPECT_TRUE(grad_enabled());
}

TEST(Record, NothingIsKeptWhenNoInputLeadsToALeaf) {
  const Tensor x = toy::numbers({1});
  EXPECT_EQ(toy::mul(x, x).history(), nullptr);
  EXPECT_EQ(x.storage().use_count(), 1);
}

}  // namespace
}  // namespace jogak
