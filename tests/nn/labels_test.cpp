#include "nn/labels.h"

#include <gtest/gtest.h>

namespace jogak {
namespace {

Labels read(const Json& config) { return read_labels(Fields(config, "config.json")); }

TEST(Labels, ANameThatComesTwiceStandsForItsLastId) {
  const Json given =
      Json::object({{"id2label", Json::object({{"0", "a"}, {"1", "b"}, {"2", "a"}})}});
  Json written = Json::object();
  write_labels(read(given), written);
  EXPECT_EQ(*written.find("id2label"), *given.find("id2label"));
  EXPECT_EQ(*written.find("label2id"), Json::object({{"a", 2}, {"b", 1}}));
}

// In a time that grows with their number: comparing each with all would take minutes.
TEST(Labels, AsManyAsThereMayBe) {
  const Labels labels = read(Json::object({{"num_labels", 131072}}));
  EXPECT_EQ(labels.names.back(), "LABEL_131071");
  Json written = Json::object();
  write_labels(labels, written);
  EXPECT_EQ(read(parse_json(written.dump(), "again")).names, labels.names);
}

}  // namespace
}  // namespace jogak
