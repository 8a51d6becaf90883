// A model whose layers are divided among processes gives what it gives alone.
#include "app/models/divided.h"

#include <cmath>
#include <set>

#include "app/models/model.h"
#include "group/add.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/train/thread_group.h"

namespace jogak {
namespace {

using test::in_threads;
using test::ThreadGroup;

std::string golden(const std::string& name) { return source_path("tests/goldens/" + name); }

std::vector<float> logits_of(const Model& model) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 7; ++i) ids.push_back((3 + 5 * i) % model.vocab);
  Run run;
  return to_host<float>(model.causal.forward(from_values(ids, {1, 7}), run));
}

std::shared_ptr<const LayerSplit> split_of(ProcessGroup& group) {
  return std::make_shared<const LayerSplit>(
      LayerSplit{.self = group.processes(), .add = [&group](const Tensor& x) {
                   add_over(group, {x.data<float>(), static_cast<size_t>(x.count())});
                 }});
}

struct Divided {
  std::vector<float> logits;
  int64_t weights = 0;  // elements of one process
  std::string refused;
};

Divided divided(const std::string& directory, int64_t processes) {
  std::vector<Divided> all(static_cast<size_t>(processes));
  in_threads(processes, [&](ThreadGroup& group) {
    Divided& out = all[static_cast<size_t>(group.processes().index)];
    try {
      const Model model = open_model(directory, {.use = WeightUse::f32, .split = split_of(group)});
      for (const Param& p : model.store->all()) out.weights += p.value.count();
      out.logits = logits_of(model);
    } catch (const UsageError& error) {  // in all of them, before anything is exchanged
      out.refused = error.what();
    }
  });
  for (const Divided& one : all) EXPECT_EQ(one.logits, all[0].logits) << directory;  // to the bit
  return all[0];
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double out = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    out = std::max(out, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return out;
}

// Goldens, and tiny models of the families whose goldens have three heads and cannot be divided.
std::vector<std::string> directories(const TempDir& dir) {
  std::vector<std::string> out;
  for (const std::string& name : test::goldens_with("input_ids")) out.push_back(golden(name));
  for (const char* family : {"gpt_neox", "opt"}) {
    const Json config = preset_config(family_named(family), "tiny", {});
    save_model(new_model(config, 7), dir / family);
    out.push_back(dir / family);
  }
  return out;
}

TEST(DividedLayers, GiveWhatTheWholeModelGives) {
  const TempDir dir;
  std::set<std::string> families;
  for (const std::string& name : directories(dir)) {
    const Model model = open_model(name, {.use = WeightUse::f32});
    if (!model.causal.forward) continue;
    const std::vector<float> whole = logits_of(model);
    int64_t weights = 0;
    for (const Param& p : model.store->all()) weights += p.value.count();
    for (const int64_t processes : {2, 3, 4}) {
      const Divided found = divided(name, processes);
      if (!found.refused.empty()) continue;
      EXPECT_LE(largest_difference(found.logits, whole), 1e-5) << name << ", " << processes;
      EXPECT_LT(found.weights, weights) << name;
      families.insert(model.model_type);
    }
  }
  for (const char* family :
       {"gpt2", "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "phi3",
        "mixtral", "smollm3", "starcoder2", "stablelm", "gpt_neox", "falcon", "opt"})
    EXPECT_TRUE(families.contains(family)) << family;
}

TEST(DividedLayers, AreRefusedByNameWhereTheyCannotBe) {
  EXPECT_EQ(divided(golden("gpt2-a"), 3).refused,
            "gpt2: 4 heads cannot be divided among 3 processes");
  EXPECT_EQ(divided(golden("mistral-a"), 4).refused,
            "mistral: 2 heads of keys cannot be divided among 4 processes");
  EXPECT_EQ(divided(golden("olmo2-a"), 2).refused,
            "olmo2: norms over all heads are not divided among processes");
  EXPECT_EQ(divided(golden("bert-a"), 2).refused,
            "bert: layers of this family are not divided among processes");
  SoloGroup solo;
  const std::string trained =
      error_of<UsageError>([&] { open_model(golden("gpt2-a"), {.split = split_of(solo)}); });
  EXPECT_NE(trained.find("wanted a model that is only read"), std::string::npos) << trained;
}

TEST(DividedLayers, SumsAreTheSameBitsInAll) {
  for (const size_t count : {size_t{1}, size_t{5}, size_t{9000}}) {  // in one round, and in two
    std::vector<std::vector<float>> found(3);
    in_threads(3, [&](ThreadGroup& group) {
      const auto index = static_cast<size_t>(group.processes().index);
      std::vector<float> values(count);
      for (size_t i = 0; i < count; ++i)
        values[i] = 0.1F * static_cast<float>(i % 13) + 1e6F * static_cast<float>(index);
      add_over(group, values);
      found[index] = values;
    });
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[0], found[2]);
    EXPECT_NEAR(found[0][0], 3e6, 1);
  }
}

}  // namespace
}  // namespace jogak
