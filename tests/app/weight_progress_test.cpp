// What takes longer than two seconds says how far it is.
#include "app/models/weight_progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

TEST(WritingWeights, TellsHowFarItIs) {
  const TempDir dir;
  TensorSources weights;
  for (const char* name : {"a", "b", "c", "d"})
    weights.push_back({name, DType::f32, {4}, [] {  // as a disk that takes its time
                         std::this_thread::sleep_for(std::chrono::milliseconds(800));
                         return zeros({4}, DType::f32);
                       }});
  testing::internal::CaptureStderr();
  write_weights(dir.path(), weights, "writing weights", Lang::en);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("writing weights: 75% (48/64)"), std::string::npos) << said;
  EXPECT_EQ(ModelFiles(dir.path()).names().size(), 4u);
}

}  // namespace
}  // namespace jogak
