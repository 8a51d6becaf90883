#include "train/run_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "base/file.h"
#include "base/shortage.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

void write_one(const std::string& directory) { write_file(join_path(directory, "a"), "1"); }

TEST(RunDirectory, CheckpointsAppearWholeAndInOrder) {
  const TempDir dir;
  RunDirectory run(dir / "deep/run");
  run.commit(5, write_one);
  run.commit(100, write_one);
  run.commit(123456789, write_one);
  EXPECT_EQ(run.checkpoints(), (std::vector<int64_t>{5, 100, 123456789}));
  EXPECT_EQ(run.checkpoint(5), dir / "deep/run/checkpoints/step-00000005");
  EXPECT_EQ(read_file(run.checkpoint(123456789) + "/a"), "1");
}

TEST(RunDirectory, AFailedCommitLeavesNothingAndChangesNothing) {
  const TempDir dir;
  RunDirectory run(dir / "run");
  run.commit(5, write_one);
  error_of<IoError>([&] {
    run.commit(6, [](const std::string& directory) {
      write_one(directory);
      fail<IoError>("no space");
    });
  });
  EXPECT_EQ(list_directory(dir / "run/checkpoints"), (std::vector<std::string>{"step-00000005"}));
}

TEST(RunDirectory, TheSameStepIsReplacedAtOnce) {
  const TempDir dir;
  RunDirectory run(dir / "run");
  run.commit(5, write_one);
  run.commit(5, [](const std::string& directory) { write_file(join_path(directory, "b"), "2"); });
  EXPECT_EQ(list_directory(run.checkpoint(5)), (std::vector<std::string>{"b"}));
  EXPECT_EQ(list_directory(dir / "run/checkpoints"), (std::vector<std::string>{"step-00000005"}));
}

TEST(RunDirectory, TheNewestStay) {
  const TempDir dir;
  RunDirectory run(dir / "run");
  for (const int64_t step : {1, 2, 3, 4, 5}) run.commit(step, write_one);
  run.keep_newest(2);
  EXPECT_EQ(run.checkpoints(), (std::vector<int64_t>{4, 5}));
  run.keep_newest(0);  // never none
  EXPECT_EQ(run.checkpoints(), (std::vector<int64_t>{5}));
  EXPECT_EQ(list_directory(dir / "run/checkpoints").size(), 1u);
}

TEST(RunDirectory, LeftoversOfAKilledRunAreSweptAndOthersStay) {
  const TempDir dir;
  const std::string run = dir / "run";
  { const RunDirectory first(run); }
  make_directories(run + "/checkpoints/.tmp-123-0");
  write_file(run + "/checkpoints/.tmp-123-0/weights.safetensors", "half");
  write_file(run + "/model.safetensors.tmp-123-7", "half");
  write_file(run + "/notes.tmp-me", "mine");
  make_directories(run + "/checkpoints/step-1");  // not one of our names
  testing::internal::CaptureStderr();
  const RunDirectory second(run);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find(".tmp-123-0: left by an unfinished run, removed"), std::string::npos) << log;
  EXPECT_NE(log.find("model.safetensors.tmp-123-7: left"), std::string::npos) << log;
  EXPECT_TRUE(second.checkpoints().empty());
  EXPECT_EQ(list_directory(run + "/checkpoints"), (std::vector<std::string>{"step-1"}));
  EXPECT_TRUE(file_exists(run + "/notes.tmp-me"));
}

TEST(RunDirectory, ASecondTrainerIsRefusedNamingTheFirst) {
  const TempDir dir;
  {
    const RunDirectory first(dir / "run");
    expect_error<InUse>(
        [&] { RunDirectory(dir / "run"); },
        text_of(dir / "run", ": another training is running here (process ", ::getpid(), ")"));
  }
  const RunDirectory again(dir / "run");  // the lock went with its holder
}

TEST(RunDirectory, OfManyThatRaceOneWins) {
  const TempDir dir;
  make_directories(dir / "run");
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> won{0}, lost{0}, tried{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        try {
          const DirectoryLock lock(dir / "run");
          ++won;
          ++tried;
          while (tried < 4) std::this_thread::yield();
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find(text_of("process ", ::getpid())),
                    std::string::npos)
              << error.what();
          ++lost;
          ++tried;
        }
      });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(won, 1);
    EXPECT_EQ(lost, 3);
  }
}

TEST(RunDirectory, AFileInTheWayIsAnError) {
  const TempDir dir;
  write_file(dir / "run", "");
  error_of<IoError>([&] { RunDirectory(dir / "run"); });
  error_of<UsageError>([] { RunDirectory(""); });
}

}  // namespace
}  // namespace jogak
