// Keys and values kept in fewer bits: texts still do not depend on their neighbours or on how a
// prompt was read, and scores stay near those over a cache in f32.
#include "app/models/cache_type.h"

#include <cmath>

#include "generate/batcher.h"
#include "generate/cached_step.h"
#include "models/families.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

constexpr CacheType kTypes[] = {CacheType::f32, CacheType::bf16, CacheType::q8};

Model small(const char* name, CacheType type) {
  const Family& family = family_named(name);
  const Json changes = std::string(name) == "gpt2" ? Json::object({{"vocab_size", 300},
                                                                   {"n_positions", 200},
                                                                   {"n_embd", 64},
                                                                   {"n_layer", 2},
                                                                   {"n_head", 4},
                                                                   {"initializer_range", 0.3}})
                                                   : Json::object({{"vocab_size", 300},
                                                                   {"max_position_embeddings", 200},
                                                                   {"hidden_size", 64},
                                                                   {"num_hidden_layers", 2},
                                                                   {"num_attention_heads", 4},
                                                                   {"num_key_value_heads", 2},
                                                                   {"intermediate_size", 96},
                                                                   {"initializer_range", 0.3}});
  Model out = family.build(family.complete(changes, "settings"), "settings", ParamStore::fresh(5));
  set_cache_type(out, type);
  return out;
}

std::vector<int> prompt_of(uint64_t seed, size_t count) {
  Rng rng(seed);
  std::vector<int> out;
  while (out.size() < count) out.push_back(static_cast<int>(rng.below(300)));
  return out;
}

// Scores behind a prompt that is read `step` tokens at a time beside `others` other sequences.
std::vector<float> scores(const Model& model, std::span<const int> prompt, size_t step,
                          int others) {
  KvCache cache(model.causal.cache);
  std::vector<int> beside;
  for (int i = 0; i < others; ++i) beside.push_back(cache.add());
  const int own = cache.add();
  Tensor last;
  for (size_t at = 0; at < prompt.size(); at += step) {
    CachedStep now;
    for (size_t i = 0; i < beside.size(); ++i) now.add(beside[i], prompt_of(at + i, 1 + i % 3));
    now.add(own, prompt.subspan(at, std::min(step, prompt.size() - at)));
    last = last_logits(model.causal, cache, now, nullptr, nullptr);
  }
  const std::vector<float> all = to_host<float>(last);
  return {all.end() - model.causal.vocab, all.end()};
}

TEST(CacheTypes, ScoresHaveTheSameBitsAloneAndBesideOthersInOnePassOrTokenByToken) {
  for (const char* family : {"gpt2", "llama"})
    for (const CacheType type : kTypes) {
      const Model model = small(family, type);
      const std::vector<int> prompt = prompt_of(1, 70);  // more than a page
      const std::vector<float> whole = scores(model, prompt, prompt.size(), 0);
      EXPECT_EQ(scores(model, prompt, 1, 0), whole) << family << static_cast<int>(type);
      EXPECT_EQ(scores(model, prompt, 9, 3), whole) << family << static_cast<int>(type);
    }
}

// Rounding keys and values changes scores a little and, but for f32, does change them.
TEST(CacheTypes, ScoresStayNearThoseOfF32) {
  for (const char* family : {"gpt2", "llama"}) {
    const std::vector<int> prompt = prompt_of(2, 90);
    const std::vector<float> exact = scores(small(family, CacheType::f32), prompt, 90, 0);
    for (const auto& [type, most] : {std::pair{CacheType::bf16, 0.02}, {CacheType::q8, 0.05}}) {
      const std::vector<float> got = scores(small(family, type), prompt, 90, 0);
      double off = 0, size = 0;
      for (size_t i = 0; i < got.size(); ++i)
        off += std::pow(got[i] - exact[i], 2), size += std::pow(exact[i], 2);
      EXPECT_GT(off, 0) << family;
      EXPECT_LT(std::sqrt(off / size), most) << family;
    }
  }
}

TEST(CacheTypes, PagesTakeAHalfAndAQuarter) {
  Model model = small("gpt2", CacheType::f32);  // heads 16 wide: a scale for 16 numbers
  const int64_t f32 = page_bytes(model.causal.cache);
  EXPECT_EQ(f32, 2 * 2 * 64 * 64 * 4);
  for (const auto& [type, bytes] :
       {std::pair{CacheType::bf16, f32 / 2}, {CacheType::q8, f32 / 4 + f32 / 16}}) {
    set_cache_type(model, type);
    KvCache cache(model.causal.cache);
    const int one = cache.add();
    cache.begin({one}, {65});
    EXPECT_EQ(static_cast<int64_t>(cache.page(one, 0).bytes()), bytes);
    EXPECT_EQ(page_bytes(cache.shape()), bytes);
  }
}

TEST(CacheTypes, WhatIsNoTypeIsRefused) {
  expect_error<UsageError>([] { use_cache_type("q4"); },
                           "--cache-type: found q4, wanted f32, bf16 or q8");
  Model model = small("gpt2", CacheType::f32);
  model.causal.cache.states = true;
  expect_error<UsageError>([&] { set_cache_type(model, CacheType::q8); },
                           "--cache-type: a recurrent model keeps its states in f32");
}

}  // namespace
}  // namespace jogak
