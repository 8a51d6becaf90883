#include "base/suggest.h"

#include <gtest/gtest.h>

namespace jogak {
namespace {

const std::vector<std::string> kTopics = {"softmax", "attention", "positions", "layernorm"};

TEST(EditDistance, CountsTheFourSlips) {
  EXPECT_EQ(edit_distance("softmax", "softmax"), 0u);
  EXPECT_EQ(edit_distance("sofmax", "softmax"), 1u);    // a letter left out
  EXPECT_EQ(edit_distance("softtmax", "softmax"), 1u);  // one too many
  EXPECT_EQ(edit_distance("saftmax", "softmax"), 1u);   // a wrong one
  EXPECT_EQ(edit_distance("sotfmax", "softmax"), 1u);   // two swapped
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(EditDistance, CountsCharactersNotBytes) {
  EXPECT_EQ(edit_distance("소프트멕스", "소프트맥스"), 1u);
  EXPECT_EQ(edit_distance("\xff", "a"), 1u);
}

TEST(EditDistance, IsSymmetric) {
  for (const std::string& a : kTopics)
    for (const std::string& b : kTopics) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
}

TEST(Nearest, FindsTheWordMeant) {
  EXPECT_EQ(nearest("atention", kTopics), "attention");
  EXPECT_EQ(nearest("Softmx", kTopics), "softmax");
  EXPECT_EQ(nearest("layer-norm", kTopics), "layernorm");
  EXPECT_EQ(nearest("pos", kTopics), "positions");
  EXPECT_EQ(nearest("layer", kTopics), "layernorm");
  EXPECT_EQ(nearest("top_k", {"top-p", "top-k"}), "top-k");
}

TEST(Nearest, IsSilentWhenNothingIsClose) {
  EXPECT_EQ(nearest("banana", kTopics), "");
  EXPECT_EQ(nearest("x", kTopics), "");
  EXPECT_EQ(nearest("so", kTopics), "");
  EXPECT_EQ(nearest("", kTopics), "");
  EXPECT_EQ(nearest("softmax", {}), "");
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), kTopics), "");
}

TEST(Nearest, TakesTheFirstOfEquals) { EXPECT_EQ(nearest("bat", {"cat", "hat"}), "cat"); }

TEST(DidYouMean, EndsAMessage) {
  EXPECT_EQ(did_you_mean("softmx", kTopics), " (did you mean \"softmax\"?)");
  EXPECT_EQ(did_you_mean("banana", kTopics), "");
}

}  // namespace
}  // namespace jogak
