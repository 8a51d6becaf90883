// The lesson about a real head gives the weights that transformers computed.
#include "app/show/head_view.h"

#include <gtest/gtest.h>

#include "app/show/explain.h"
#include "explain/explain.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

HeadChoice golden_head(const std::string& name, int64_t layer, int64_t head) {
  HeadChoice out;
  out.directory = test::golden_dir(name);
  out.input.file = out.directory + "/golden.safetensors";
  out.layer = layer;
  out.head = head;
  return out;
}

Matrix lesson_weights(const HeadChoice& choice, Level level) {
  ExplainRequest request;
  request.topic = "qkv";
  request.level = level;
  request.head = std::make_shared<const HeadView>(head_view(choice));
  const Lesson lesson = explain(request);
  for (const Step& step : lesson.steps)
    for (const Table& table : step.tables)
      if (table.name == "weights") return table.values;
  ADD_FAILURE() << "no weights";
  return {};
}

class HeadLessons : public testing::TestWithParam<std::string> {};

TEST_P(HeadLessons, GiveTransformersWeights) {
  const std::string name = GetParam();
  const SafetensorsFile golden(test::golden_dir(name) + "/golden.safetensors");
  const bool two_sides = golden.has("cross_attentions.0");
  for (const int64_t layer : {0, 1})
    for (const int64_t head : {0, 1}) {
      const Tensor all =
          golden.get(text_of(two_sides ? "encoder_attentions." : "attentions.", layer));
      const auto wanted = to_host<float>(all);
      Matrix got;
      try {
        got = lesson_weights(golden_head(name, layer, head), Level::student);
      } catch (const UsageError& error) {  // of Mistral, Gemma, DeBERTa and their like; long texts
        const std::string told = error.what();
        ASSERT_NE(told.find(all.dim(2) > 24 ? "wanted at most 24" : "this lesson does not show"),
                  std::string::npos)
            << told;
        continue;
      }
      ASSERT_EQ(got.rows, all.dim(2));
      for (int64_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got.values[static_cast<size_t>(i)],
                    wanted[static_cast<size_t>(head * got.size() + i)], 1e-4)
            << name << " layer " << layer << " head " << head << " entry " << i;
    }
}

// Text alone: the lesson names its tokens.
std::vector<std::string> texts_with_attention() {
  std::vector<std::string> out;
  for (const std::string& name : test::goldens_with("input_ids"))
    if (SafetensorsFile(test::golden_dir(name) + "/golden.safetensors").has("attentions.1"))
      out.push_back(name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, HeadLessons, testing::ValuesIn(texts_with_attention()),
                         [](const auto& one) { return test::test_name(one.param); });

TEST(HeadLesson, OfTwoTowersShowsTheOneThatReads) {
  const TempDir dir;
  const SafetensorsFile golden(test::golden_dir("clip-a") + "/golden.safetensors");
  HeadChoice text = golden_head("clip-a", 0, 0);
  text.input.file = dir / "text.safetensors";
  save_safetensors(text.input.file, {{"input_ids", golden.get("input_ids")}});
  const HeadView seen = head_view(text);
  EXPECT_EQ(seen.q.rows, golden.get("input_ids").dim(1));
}

TEST(HeadLesson, SaysWhichLayersAndHeadsThereAre) {
  for (const HeadChoice& wrong : {golden_head("gpt2-a", 99, 0), golden_head("gpt2-a", 0, 99)})
    EXPECT_THROW(head_view(wrong), UsageError);
  ExplainCommand command;
  command.topic = "qkv";
  command.model = test::golden_dir("gpt2-a");
  EXPECT_THROW(run_explain(command), UsageError);  // no text
}

}  // namespace
}  // namespace jogak
