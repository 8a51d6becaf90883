// Training over NCCL's seam, with the tests' own library: host memory stands for that of GPUs.
#include <mutex>

#include "group/nccl_group.h"
#include "tests/group/stand_in/stand_in.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "tests/train/thread_group.h"
#include "tests/train/toy.h"
#include "train/trainer.h"

namespace jogak {
namespace {

std::string trained(ProcessGroup* group, const std::string& out) {
  test::Toy toy({.dropout = true, .with_buffer = true});
  TrainOptions options = test::toy_training(out, 6);
  options.accumulate = 1;
  options.micro_batches = 4;
  options.checkpoint_every = 3;
  options.group = group;
  train(toy.params, toy.task(), options);
  return test::weights_sha256(toy.params);
}

TEST(OnGpus, SeveralProcessesEndWithTheBitsOfOne) {
  const TempDir dir;
  const test::StandInNccl library;
  const std::string wanted = trained(nullptr, dir / "one");
  for (const int64_t count : {2, 3, 4}) {
    const std::string out = dir / text_of(count);
    const int before = library.count("stand_in_exchanges");
    test::in_threads(count, [&](test::ThreadGroup& host) {
      std::string why;
      const auto group = connect_gpus(
          std::shared_ptr<ProcessGroup>(&host, [](ProcessGroup*) {}),
          {.place = text_of(host.processes().index), .stream = test::host_stream}, why);
      EXPECT_EQ(why, "");
      EXPECT_EQ(trained(group.get(), out), wanted);
    });
    EXPECT_EQ(test::checkpoint_sha256(out), test::checkpoint_sha256(dir / "one"));
    // Weights at the start, and in each step gradients, the buffer's mean and weights again.
    EXPECT_EQ(library.count("stand_in_exchanges") - before, count * (1 + 6 * 3));
  }
}

}  // namespace
}  // namespace jogak
