// What the page shows of models and runs: the same numbers as the commands, in pieces.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "app/page/attention_pass.h"
#include "app/page/kept.h"
#include "app/page/runs.h"
#include "app/page/shelf.h"
#include "app/show/inspect.h"
#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::golden_dir;

InputChoice golden_input(const std::string& name) {
  return {.file = golden_dir(name) + "/golden.safetensors"};
}

class AttentionPasses : public testing::TestWithParam<const char*> {};

// Every tile, line, link and cell is the number `jogak inspect --json` prints.
TEST_P(AttentionPasses, AreWhatInspectShows) {
  const std::string name = GetParam();
  const InspectSubject subject(golden_dir(name));
  const AttentionPass pass(subject, {.input = golden_input(name)});
  const Json kinds = *pass.json().find("kinds");
  ASSERT_FALSE(kinds.items().empty());
  for (const Json& kind : kinds.items()) {
    InspectCommand c{.what = "attention", .directory = subject.directory()};
    c.input = golden_input(name);
    c.attention = {.layer = AttentionChoice::kAll, .kind = kind.find("kind")->text()};
    const Inspection shown = inspect(subject, c);
    const int64_t heads = kind.find("heads")->integer();
    const auto plates = static_cast<size_t>(kind.find("layers")->integer() * heads);
    ASSERT_GE(shown.plates.size(), plates);  // pictures over the image may follow
    const Tile thumbnails = pass.thumbnails(c.attention.kind);
    EXPECT_EQ(thumbnails.bytes.size(),
              plates * static_cast<size_t>(thumbnails.width * thumbnails.height));
    for (size_t i = 0; i < plates; ++i) {
      const Matrix& wanted = shown.plates[i].picture.values;
      const AttentionPass::Head head{c.attention.kind, static_cast<int64_t>(i) / heads,
                                     static_cast<int64_t>(i) % heads};
      const float high = static_cast<float>(
          kind.find("high")->items()[static_cast<size_t>(head.layer)].items()[i % heads].number());
      const Tile tile = pass.tile(head, {});
      ASSERT_EQ(tile.bytes.size(), wanted.values.size());
      for (size_t j = 0; j < tile.bytes.size(); ++j)
        ASSERT_EQ(tile.bytes[j], weight_byte(static_cast<float>(wanted.values[j]), high));
      const int64_t q = wanted.rows - 1, k = wanted.columns / 2;
      const Json cell = pass.cell(head, q, k);
      EXPECT_EQ(cell.find("weight")->number(), wanted.at(q, k));
      EXPECT_NEAR(cell.find("softmax")->number(), wanted.at(q, k), 1e-5);
      const Json line = pass.line(head, q, -1);
      for (int64_t j = 0; j < wanted.columns; ++j)
        EXPECT_EQ(line.find("values")->items()[static_cast<size_t>(j)].number(), wanted.at(q, j));
      const Json best = pass.links(head, 1, -1);
      EXPECT_EQ(static_cast<float>(best.find("links")->items()[0].items()[2].number()), high);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AttentionPasses,
                         testing::Values("gpt2-a", "llama-b", "falcon-c", "bert-a", "marian-a",
                                         "vit-a", "patchtst-a", "patchtst-f", "t5-a", "bart-a"));

// Series that a model goes over one by one are looked at one by one, as `inspect --row` does.
TEST(AttentionPassRows, AreThoseOfInspect) {
  const InspectSubject subject(golden_dir("patchtst-a"));
  InspectCommand c{.what = "attention", .directory = subject.directory()};
  c.input = golden_input("patchtst-a");
  c.attention.layer = 0, c.attention.head = 1, c.attention.kind = "self";
  std::vector<double> weights;
  for (const int64_t row : {0, 1}) {
    c.attention.row = row;
    const AttentionPass pass(subject, {.input = c.input, .row = row});
    const Json kind = pass.json().find("kinds")->items()[0];
    EXPECT_EQ(kind.find("row")->integer(), row);
    EXPECT_GT(kind.find("rows")->integer(), 1);
    const Json cell = pass.cell({"self", 0, 1}, 1, 0);
    EXPECT_EQ(cell.find("weight")->number(), inspect(subject, c).plates[0].picture.values.at(1, 0));
    EXPECT_NEAR(cell.find("softmax")->number(), cell.find("weight")->number(), 1e-5);
    weights.push_back(cell.find("weight")->number());
  }
  EXPECT_NE(weights[0], weights[1]);
  for (const int64_t row : {-1, 1000})
    EXPECT_THROW(AttentionPass(subject, {.input = c.input, .row = row}), UsageError);
}

// The decoder of a translator begins with its own embedding and its own positions, though the
// encoder's layers come before it.
TEST(PassViews, AnEncoderDecoderBeginsTwice) {
  const InspectSubject subject(golden_dir("marian-a"));
  const PassQuestion question{.input = golden_input("marian-a")};
  const Json steps = *pass_steps(subject, question).find("steps");
  std::string source, target;  // the role each side begins with
  for (const Json& step : steps.items()) {
    std::string& first = step.find("source")->boolean() ? source : target;
    if (first.empty()) first = step.find("role")->text();
  }
  EXPECT_EQ(source, "embedding");
  EXPECT_EQ(target, "embedding");
  EXPECT_EQ(steps.items().back().find("role")->text(), "head");
  const Json products = *position_products(subject, question).find("products");
  ASSERT_EQ(products.items().size(), 4u);
  const size_t tokens = products.items()[0].items().size();
  EXPECT_GT(tokens, 1u);
  for (const Json& one : products.items()) EXPECT_EQ(one.items().size(), tokens);
}

// However a family calls its attention, what goes into it is no feed-forward: each layer has one.
TEST(PassViews, EveryLayerWidensOnce) {
  for (const char* name : {"gpt2-a", "marian-a", "t5-a", "bart-a", "bert-a", "vit-a"}) {
    const InspectSubject subject(golden_dir(name));
    const Json steps = *pass_steps(subject, {.input = golden_input(name)}).find("steps");
    std::map<std::pair<bool, int64_t>, int> widened;
    for (const Json& step : steps.items())
      if (step.find("role")->text() == "widen")
        ++widened[{step.find("source")->boolean(), step.find("layer")->integer()}];
    EXPECT_FALSE(widened.empty()) << name;
    for (const auto& [layer, count] : widened) EXPECT_EQ(count, 1) << name << " " << layer.second;
  }
}

TEST(AttentionPassErrors, NameWhatThereIsNot) {
  const InspectSubject subject(golden_dir("gpt2-a"));
  const AttentionPass pass(subject, {.input = golden_input("gpt2-a")});
  EXPECT_THROW(pass.thumbnails("cross"), UsageError);
  EXPECT_THROW(pass.tile({"self", 99, 0}, {}), UsageError);
  EXPECT_THROW(pass.tile({"self", 0, 99}, {}), UsageError);
  EXPECT_THROW(pass.line({"self", 0, 0}, -1, -1), UsageError);
  std::atomic<bool> stop{true};
  EXPECT_THROW(AttentionPass(subject, {.input = golden_input("gpt2-a"), .stop = &stop}), Stopped);
}

TEST(Shelf, FindsModelsGivesEachANameAndKeepsThemOpen) {
  const TempDir dir;
  for (const char* name : {"a/x y", "b/x y"}) {
    std::filesystem::create_directories(dir / name);
    for (const char* file : {"config.json", "model.safetensors"})
      std::filesystem::copy(golden_dir("gpt2-a") + "/" + file, dir / name + "/" + file);
  }
  make_directories(dir / "runs/late");
  Shelf shelf({dir / "a", dir / "b/x y"}, dir / "runs");
  const auto models = shelf.list();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].id, "x-y");
  EXPECT_EQ(models[1].id, "x-y-2");
  EXPECT_EQ(models[0].task, "generate");
  EXPECT_EQ(shelf.open(models[0]).get(), shelf.open(models[0]).get());
  EXPECT_NE(shelf.open(models[0]).get(), shelf.open(models[1]).get());
  EXPECT_THROW(shelf.find("late"), MissingError);
  std::filesystem::copy(dir / "a/x y", dir / "runs/late", std::filesystem::copy_options::recursive);
  EXPECT_FALSE(shelf.find("late").given);
  EXPECT_THROW(Shelf({dir / "nowhere"}, ""), MissingError);
  EXPECT_THROW(Shelf({dir / "runs/late/../.."}, ""), MissingError);
}

TEST(Shelf, WithinItsMemoryTheLeastUsedModelIsClosed) {
  const TempDir dir;
  for (const char* name : {"a", "b", "c"}) {
    std::filesystem::create_directories(dir / name);
    for (const char* file : {"config.json", "model.safetensors"})
      std::filesystem::copy(golden_dir("gpt2-a") + "/" + file, dir / name + "/" + file);
  }
  Shelf shelf({dir / "a", dir / "b", dir / "c"}, "");
  const size_t one = std::filesystem::file_size(dir / "a/model.safetensors");
  shelf.keep_within(2 * one);
  std::vector<const OpenModel*> closed;
  shelf.when_closed([&](const OpenModel* model) { closed.push_back(model); });
  std::weak_ptr<const OpenModel> a = shelf.open(shelf.find("a")), b = shelf.open(shelf.find("b"));
  const OpenModel* second = b.lock().get();
  shelf.open(shelf.find("a"));  // used again: the other is the least used now
  EXPECT_TRUE(closed.empty());
  const auto c = shelf.open(shelf.find("c"));
  EXPECT_EQ(closed, std::vector<const OpenModel*>{second});
  EXPECT_TRUE(b.expired()) << "its weights are given back";
  EXPECT_FALSE(a.expired());
  shelf.keep_within(1);  // less than one: the one that is asked for stays all the same
  EXPECT_NE(shelf.open(shelf.find("b")), nullptr);
  EXPECT_TRUE(a.expired());
  EXPECT_EQ(c.use_count(), 1) << "closed, but whoever works with it has it until the end";
}

TEST(Shelf, AModelThatCannotBeReadSaysWhy) {
  const TempDir dir;
  make_directories(dir / "m");
  write_file(dir / "m/config.json", "{\"model_type\": \"nothing\"}");
  Shelf shelf({dir / "m"}, "");
  EXPECT_NE(shelf.list()[0].trouble.find("nothing"), std::string::npos);
  EXPECT_THROW(shelf.open(shelf.list()[0]), FormatError);
}

TEST(KeptThings, TheLongestUnusedGoFirst) {
  Kept<int> kept(100, 3);
  for (const char* id : {"a", "b", "c"}) kept.add(id, std::make_shared<int>(1), 10);
  EXPECT_NE(kept.find("a"), nullptr);
  kept.add("d", std::make_shared<int>(1), 10);
  EXPECT_EQ(kept.find("b"), nullptr);
  EXPECT_NE(kept.find("a"), nullptr);
  kept.add("e", std::make_shared<int>(1), 1000);  // alone more than allowed: it stays alone
  EXPECT_EQ(kept.find("a"), nullptr);
  EXPECT_NE(kept.find("e"), nullptr);
}

void write_metrics(const std::string& run, int64_t from, int64_t to) {
  make_directories(run);
  std::string text;
  for (int64_t step = from; step <= to; ++step)
    text += text_of("{\"schema\":1,\"step\":", step,
                    ",\"train_loss\":", 1.0 / static_cast<double>(step), "}\n");
  text.pop_back();
  append_line(run + "/metrics.jsonl", text);
}

TEST(RunCurvesOfAFile, AreFollowedByOffsetAndStaySmall) {
  const TempDir dir;
  RunCurves curves(dir / "r");
  curves.follow();
  EXPECT_EQ(curves.step(), 0);
  write_metrics(dir / "r", 1, 10);
  append_line(dir / "r/metrics.jsonl", "{\"schema\":1,\"step\":10,\"valid_loss\":0.5}");
  append_line(dir / "r/metrics.jsonl", "{\"schema\":1,\"step\":10,\"skipped\":\"NaN\"}");
  append_line(dir / "r/metrics.jsonl", "{\"schema\":1,\"st");  // not a line of ours
  curves.follow();
  EXPECT_EQ(curves.step(), 10);
  const Json first = curves.json();
  const Json& loss = *first.find("curves")->find("train_loss");
  EXPECT_EQ(loss.find("steps")->items().size(), 10u);
  EXPECT_EQ(loss.find("mean")->items()[3].number(), 0.25);
  EXPECT_EQ(first.find("curves")->find("valid_loss")->find("mean")->items()[0].number(), 0.5);
  EXPECT_EQ(first.find("skipped")->items()[0].find("why")->text(), "NaN");
  const int64_t before = curves.offset();
  curves.follow();
  EXPECT_EQ(curves.offset(), before);
  write_metrics(dir / "r", 11, 20000);
  curves.follow();
  const Json many = curves.json();
  const auto& steps = many.find("curves")->find("train_loss")->find("steps")->items();
  EXPECT_LE(steps.size(), Curve::kMostPoints);
  EXPECT_GE(steps.size(), Curve::kMostPoints / 2);
  EXPECT_EQ(steps.back().integer(), 20000);
}

TEST(RunCurvesOfAFile, ACutFileIsReadAgain) {
  const TempDir dir;
  write_metrics(dir / "r", 1, 100);
  RunCurves curves(dir / "r");
  curves.follow();
  EXPECT_EQ(curves.step(), 100);
  std::filesystem::remove(dir / "r/metrics.jsonl");
  write_metrics(dir / "r", 1, 50);
  curves.follow();
  EXPECT_EQ(curves.step(), 50);
  EXPECT_EQ(
      curves.json().find("curves")->find("train_loss")->find("steps")->items().back().integer(),
      50);
}

TEST(Curves, JoinedPointsKeepMeanAndRange) {
  Curve curve;
  double sum = 0;
  for (int i = 0; i < 4096; ++i) curve.add(i, i % 7), sum += i % 7;
  const Json json = curve.json();
  double low = 100, high = -100;
  for (const Json& x : json.find("low")->items()) low = std::min(low, x.number());
  for (const Json& x : json.find("high")->items()) high = std::max(high, x.number());
  EXPECT_EQ(low, 0);
  EXPECT_EQ(high, 6);
  double mean = 0;
  for (const Json& x : json.find("mean")->items()) mean += x.number();
  EXPECT_NEAR(mean / static_cast<double>(json.find("mean")->items().size()), sum / 4096, 1e-9);
}

TEST(RunFolders, ListRunsAndLeaveTheFolderToNobody) {
  const TempDir dir;
  write_metrics(dir / "runs/a", 1, 3000);
  append_line(dir / "runs/a/metrics.jsonl", "{\"schema\":1,\"step\":3000,\"valid_loss\":0.25}");
  make_directories(dir / "runs/empty");
  write_metrics(dir / "secret", 1, 2);
  RunFolder runs(dir / "runs");
  const Json list = runs.list();
  ASSERT_EQ(list.find("runs")->items().size(), 1u);
  const Json& a = list.find("runs")->items()[0];
  EXPECT_EQ(a.find("name")->text(), "a");
  EXPECT_EQ(a.find("step")->integer(), 3000);
  EXPECT_EQ(a.find("valid_loss")->number(), 0.25);
  EXPECT_GT(a.find("points")->items().size(), 10u);
  EXPECT_TRUE(a.find("live")->boolean());
  const Json curves = runs.curves("a", 0);
  EXPECT_EQ(curves.find("step")->integer(), 3000);
  EXPECT_NE(runs.curves("a", curves.find("offset")->integer()).find("unchanged"), nullptr);
  for (const char* name : {"../secret", "..", "", ".", "a/../../secret", "none"})
    EXPECT_THROW(runs.curves(name, 0), MissingError) << name;
}

}  // namespace
}  // namespace jogak
