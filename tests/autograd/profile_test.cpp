#include "autograd/profile.h"

#include <gtest/gtest.h>

#include "autograd/autograd.h"

namespace jogak {
namespace {

Tensor twice(const Tensor& x) {
  const Tensor y = clone(x);
  scale_in_place(y, 2);
  return record("twice", y, {x}, [](const Tensor& dy) {
    const Tensor dx = clone(dy);
    scale_in_place(dx, 2);
    return Grads{dx};
  });
}

TEST(OpProfile, CountsEachOpForwardAndBackward) {
  const Tensor x = leaf(full({1}, 3.0));
  EXPECT_EQ(active_profile(), nullptr);
  {
    OpProfile profile;
    gradients(twice(twice(x)), std::vector{x});
    ASSERT_EQ(profile.times().count("twice"), 1u);
    const OpTime& time = profile.times().at("twice");
    EXPECT_EQ(time.calls, 2);
    EXPECT_GT(time.forward, 0);
    EXPECT_GT(time.backward, 0);
    EXPECT_EQ(profile.times().size(), 1u);
  }
  EXPECT_EQ(active_profile(), nullptr);
}

}  // namespace
}  // namespace jogak
