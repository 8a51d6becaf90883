// --device, whatever this machine has.
#include <gtest/gtest.h>

#include "base/json.h"
#include "tests/cli/process.h"

namespace jogak {
namespace {

TEST(DeviceOption, TheCpuIsAlwaysThereAndEachDeviceSaysWhatItIs) {
  const Result listed = jogak({"info", "--devices", "--json"});
  ASSERT_EQ(listed.code, 0) << listed.err;
  const Json list = parse_json(listed.out, "stdout");
  const auto& devices = list.find("devices")->items();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].find("name")->text(), "cpu");
  EXPECT_TRUE(devices[0].find("usable")->boolean());
  EXPECT_EQ(devices[1].find("name")->text(), "cuda");
  EXPECT_FALSE(devices[1].find("about")->text().empty());
  const std::string table = jogak({"info", "--devices"}).out;
  EXPECT_NE(table.find(devices[1].find("about")->text()), std::string::npos) << table;
}

// Before a file is looked at: the directory does not exist.
TEST(DeviceOption, EveryCommandThatOpensAModelRefusesADeviceThatIsNotThere) {
  const Json list = parse_json(jogak({"info", "--devices", "--json"}).out, "stdout");
  const Json& cuda = list.find("devices")->items()[1];
  if (cuda.find("usable")->boolean()) GTEST_SKIP() << "this machine has a GPU";
  const std::vector<Arguments> commands = {
      {"train", "recipes/sort-lines.toml", "--out", "nowhere/run"},
      {"eval", "nowhere"},
      {"generate", "nowhere", "-p", "a"},
      {"translate", "nowhere"},
      {"fill", "nowhere", "a"},
      {"classify", "nowhere", "a"},
      {"embed", "nowhere", "a"},
      {"forecast", "nowhere", "--input", "nowhere.csv"},
      {"forward", "nowhere", "--input", "a", "--output", "b"},
      {"inspect", "attention", "nowhere", "--text", "a"},
      {"ablate", "nowhere", "--text", "a", "--target", "b", "--off", "mask"},
      {"bench", "train", "--preset", "tiny"},
      {"bench", "generate", "--preset", "tiny"},
  };
  for (Arguments command : commands) {
    command.insert(command.end(), {"--device", "cuda"});
    const Result got = jogak(command);
    EXPECT_EQ(got.code, 2) << command[0] << ": " << got.err;
    EXPECT_EQ(got.err, "jogak: --device cuda: " + cuda.find("about")->text() + "\n") << command[0];
  }
  EXPECT_EQ(jogak({"generate", "nowhere", "-p", "a", "--device", "tpu"}).code, 2);
}

}  // namespace
}  // namespace jogak
