// A score that decides instead of the loss, and the mean of checkpoints at the end.
#include "train/average.h"

#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "tests/train/toy.h"
#include "train/checkpoint.h"

namespace jogak {
namespace {

using test::checkpoint_sha256;
using test::Toy;
using test::toy_training;

TEST(Average, EveryWeightIsTheMeanOfTheCheckpoints) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "run", 6);
  options.checkpoint_every = 2, options.keep = 3;
  Toy toy;
  train(toy.params, toy.task(), options);
  std::vector<std::string> steps;
  for (const char* step : {"00000002", "00000004", "00000006"})
    steps.push_back(dir / ("run/checkpoints/step-" + std::string(step)));
  std::vector<std::vector<double>> sums;
  for (const std::string& step : steps) {
    const CheckpointWeights weights(Checkpoint(step), toy.params);
    size_t i = 0;
    for (const Param& p : toy.params.all()) {
      const auto values = to_host<double>(weights.get(p));
      if (sums.size() == i) sums.emplace_back(values.size());
      for (size_t k = 0; k < values.size(); ++k) sums[i][k] += values[k] / 3;
      ++i;
    }
  }
  Toy mean;
  average_checkpoints(mean.params, steps);
  size_t i = 0;
  for (const Param& p : mean.params.all()) {
    const auto values = to_host<double>(p.value);
    for (size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(values[k], sums[i][k], 1e-6) << p.name;
    ++i;
  }
}

// The mean is kept only where it validates better, and the run's own weights stay.
TEST(Average, IsKeptWhereItIsBetter) {
  for (const bool better : {true, false}) {
    const TempDir dir;
    TrainOptions options = toy_training(dir / "run", 8);
    options.checkpoint_every = 2, options.eval_every = 2, options.average = 3;
    Toy toy;
    TrainTask task = toy.task();
    int64_t calls = 0, saved = 0;
    task.validate = [&](jogak::Run&) { return ++calls == 5 ? (better ? 0.5 : 9.0) : 1.0; };
    task.save_model = [&](const std::string&) { ++saved; };
    const TrainResult result = train(toy.params, task, options);
    EXPECT_EQ(calls, 5) << "after steps 2, 4, 6, 8, and of the mean";
    EXPECT_EQ(result.averaged, better);
    EXPECT_EQ(saved, better ? 2 : 1);
    EXPECT_EQ(result.best_loss, better ? 0.5 : 1.0);
    EXPECT_EQ(result.valid_loss, 1.0);
    Toy plain;
    TrainOptions without = toy_training(dir / "plain", 8);
    without.checkpoint_every = 2, without.eval_every = 2;
    TrainTask same = plain.task();
    same.validate = [](jogak::Run&) { return 1.0; };
    train(plain.params, same, without);
    EXPECT_EQ(checkpoint_sha256(dir / "run"), checkpoint_sha256(dir / "plain"));
  }
}

TEST(Average, WantsCheckpointsOnTheWay) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "run", 4);
  options.checkpoint_every = 0, options.average = 2;
  Toy toy;
  expect_error<UsageError>([&] { train(toy.params, toy.task(), options); },
                           "training: average 2 wants checkpoints on the way: checkpoint_every is "
                           "0");
}

TEST(Score, TheHighestDecidesAndPatienceCountsIt) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "run", 40);
  options.eval_every = 4, options.patience = 3;
  Toy toy;
  TrainTask task = toy.task();
  const std::vector<double> scores = {10, 30, 20, 25, 30, 99};
  size_t at = 0;
  std::vector<int64_t> kept;
  task.score_name = "bleu";
  task.score = [&](jogak::Run&) { return scores.at(at++); };
  task.save_model = [&](const std::string&) { kept.push_back(static_cast<int64_t>(at)); };
  const TrainResult result = train(toy.params, task, options);
  EXPECT_EQ(result.end, TrainEnd::early);
  EXPECT_EQ(result.step, 20) << "three validations without a better score after step 8";
  EXPECT_EQ(result.best_step, 8);
  EXPECT_EQ(result.best_score, 30);
  EXPECT_EQ(kept, (std::vector<int64_t>{1, 2}));
  EXPECT_NE(read_file(dir / "run/metrics.jsonl").find("\"valid_bleu\":25"), std::string::npos);
}

}  // namespace
}  // namespace jogak
