#include "base/suggest.h"

#include <gtest/gtest.h>

namespace jogak {
namespace {

const std::vector<std::string> kTopics = {"softmax", "attention", "positions", "layernorm"};

TEST(Nearest, EachOfTheFourSlipsCountsAsOne) {
  for (const char* typed : {"sofmax", "softtmax", "saftmax", "sotfmax"}) {
    EXPECT_EQ(nearest(typed, kTopics), "softmax") << typed;
    // Two slips in one word are more than one: the nearer candidate is found.
    EXPECT_EQ(nearest(typed, {"szftmaz", "softmax"}), "softmax") << typed;
  }
  EXPECT_EQ(nearest("abc", {"acb"}), "acb");  // in three letters one slip, and a swap is one
  EXPECT_EQ(nearest("abc", {"bca"}), "");
  EXPECT_EQ(nearest("kitten", {"sitting"}), "");  // three in seven
}

TEST(Nearest, CharactersCountAndNotBytes) {
  EXPECT_EQ(nearest("소프멕", {"소프맥"}), "소프맥");  // one of three
  EXPECT_EQ(nearest("멕", {"맥"}), "");
  EXPECT_EQ(nearest("\xff"
                    "bc",
                    {"abc"}),
            "abc");
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
