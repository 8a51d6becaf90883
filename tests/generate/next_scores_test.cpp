// Steps that a device records give the tokens of steps that it is told one by one.
#include "generate/next_scores.h"

#include "base/json.h"
#include "generate/batcher.h"
#include "models/families.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"
#include "tests/support/guarded_device.h"

namespace jogak {
namespace {

using Ids = std::vector<int>;

Model fresh(const Json& config, Device& device) {
  const Family& family = family_of(config, "settings");
  return family.build(family.complete(config, "settings"), "settings",
                      ParamStore::fresh(3, DType::f32, device, family.names));
}

Json small_config(const std::string& golden) {
  Json config = read_json_file(test::golden_dir(golden) + "/config.json");
  config.set("vocab_size", 31).set("initializer_range", 0.3);
  return config;
}

// Texts of unequal lengths that end one after the other: as many numbers of sequences as texts.
std::vector<Ids> written(const CausalModel& model, const std::vector<GenerateRequest>& requests) {
  Batcher batcher(model, nullptr);
  std::vector<int64_t> handles;
  for (const GenerateRequest& request : requests) handles.push_back(batcher.add(request));
  batcher.finish_all();
  std::vector<Ids> out;
  for (const int64_t handle : handles) out.push_back(batcher.take(handle).ids);
  return out;
}

std::vector<GenerateRequest> greedy_requests() {
  return {{.prompt = {1, 5, 2}, .max_new = 14},
          {.prompt = {7}, .max_new = 9},
          {.prompt = {3, 3, 8, 2, 9}, .max_new = 6}};
}

class RecordedDecoders : public testing::TestWithParam<std::string> {};

TEST_P(RecordedDecoders, WriteWhatTheyWriteStepByStep) {
  const Json config = small_config(GetParam());
  const Model here = fresh(config, cpu_device());
  const std::vector<Ids> wanted = written(here.causal, greedy_requests());
  test::GuardedDevice device;
  {
    const Model there = fresh(config, device);
    EXPECT_EQ(written(there.causal, greedy_requests()), wanted);
  }
  // Rotations that depend on the length of a text are made on the host, experts are chosen there.
  const std::string text = config.dump();
  const bool on_host = text.find("\"dynamic\"") != std::string::npos ||
                       text.find("longrope") != std::string::npos ||
                       text.find("num_local_experts") != std::string::npos;
  EXPECT_EQ(device.starts(), on_host ? 0 : 13 - 3);  // of each number of texts the first is not
}

INSTANTIATE_TEST_SUITE_P(All, RecordedDecoders,
                         testing::ValuesIn(test::goldens_with("generate.0.input_ids")),
                         [](const auto& one) { return test::test_name(one.param); });

// Pages get more than the tables had room for, and what follows is recorded anew.
TEST(Scorer, LongTextsOutgrowTheirTables) {
  Json config = small_config("gpt2-a");
  config.set("n_positions", 1200).set("n_layer", 1).set("n_embd", 8).set("n_head", 2);
  const std::vector<GenerateRequest> long_one = {{.prompt = Ids(1000, 4), .max_new = 100},
                                                 {.prompt = {2, 6}, .max_new = 90}};
  const Model here = fresh(config, cpu_device());
  test::GuardedDevice device;
  {
    const Model there = fresh(config, device);
    EXPECT_EQ(written(there.causal, long_one), written(here.causal, long_one));
  }
  EXPECT_GT(device.starts(), 80);
}

TEST(Scorer, SamplingAndRulesLookAtScoresOfRecordedSteps) {
  const Json config = small_config("gpt2-a");
  std::vector<GenerateRequest> requests = greedy_requests();
  requests[0].sampling = {.temperature = 0.8, .top_k = 5, .seed = 7};
  requests[1].rules.repetition_penalty = 1.5;
  requests[2].show = 2;
  const Model here = fresh(config, cpu_device());
  test::GuardedDevice device;
  {
    const Model there = fresh(config, device);
    EXPECT_EQ(written(there.causal, requests), written(here.causal, requests));
  }
  EXPECT_GT(device.starts(), 5);
}

}  // namespace
}  // namespace jogak
