#include "score/entities.h"

#include <gtest/gtest.h>

namespace jogak {
namespace {

const std::vector<std::string> kNames = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"};

EntityScore score(std::vector<int64_t> found, std::vector<int64_t> wanted) {
  EntityScore out;
  out.add(found, wanted, kNames);
  return out;
}

TEST(Entities, KindAndBordersMustAgree) {
  const EntityScore one = score({1, 2, 0, 3}, {1, 2, 0, 1});
  EXPECT_EQ(one.found, 2);
  EXPECT_EQ(one.wanted, 2);
  EXPECT_EQ(one.right, 1);
  EXPECT_DOUBLE_EQ(one.f1(), 0.5);
  EXPECT_EQ(score({1, 0, 0}, {1, 2, 0}).right, 0);
  EXPECT_EQ(score({1, 1}, {1, 2}).right, 0);  // two names, not one
}

TEST(Entities, AnInsideWithoutABeginBegins) {  // as conlleval reads it
  const EntityScore one = score({2, 2, 4, 0, 2}, {1, 2, 3, 0, 1});
  EXPECT_EQ(one.found, 3);
  EXPECT_EQ(one.right, 3);
  EXPECT_DOUBLE_EQ(one.f1(), 1);
}

TEST(Entities, SumsOverSentences) {
  EntityScore all = score({1, 0}, {1, 0});
  all.add(std::vector<int64_t>{3}, std::vector<int64_t>{0}, kNames);
  all.add(std::vector<int64_t>{0}, std::vector<int64_t>{3}, kNames);
  EXPECT_DOUBLE_EQ(all.precision(), 0.5);
  EXPECT_DOUBLE_EQ(all.recall(), 0.5);
  EXPECT_DOUBLE_EQ(EntityScore().f1(), 0);
}

TEST(Entities, WhichLabelsAreSuch) {
  EXPECT_TRUE(are_entity_tags(kNames));
  EXPECT_FALSE(are_entity_tags({"NOUN", "VERB", "O"}));
  EXPECT_FALSE(are_entity_tags({"O"}));
}

}  // namespace
}  // namespace jogak
