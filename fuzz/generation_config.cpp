// A generation_config.json of any bytes: refused with one line, or read; and what it asks for can be
// done to a row of scores, at the beginning, in the middle and at the end of a text.
#include <cstdint>
#include <numeric>
#include <string_view>

#include "fuzz/check.h"
#include "generate/plan.h"
#include "generate/sampling.h"
#include "generate/score_rules.h"
#include "generate/settings_keys.h"

namespace {

using namespace jogak;

constexpr int kVocab = 50;

void choose(const GenerationPlan& plan, const std::vector<int>& tokens, size_t prompt) {
  std::vector<float> scores(kVocab);
  for (int i = 0; i < kVocab; ++i) scores[static_cast<size_t>(i)] = 0.1f * float(i % 13 - 6);
  const TextSoFar text{.tokens = tokens,
                       .prompt = prompt,
                       .source = tokens,
                       .most = static_cast<int64_t>(prompt) + plan.room_after(prompt),
                       .ends = plan.beam.eos_ids};
  const auto forbidden = only_forbidden(plan.beam.rules, text);
  apply(plan.beam.rules, text, scores);
  if (forbidden)
    for (const int id : *forbidden) fuzz::require(scores[static_cast<size_t>(id)] < -1e30f);
  double sum = 0;
  for (const Candidate& c : candidates(scores, plan.beam.sampling)) {
    fuzz::require(c.id >= 0 && c.id < kVocab && c.probability >= 0);
    sum += c.probability;
  }
  fuzz::require(sum > 0.999 && sum < 1.001);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const Json json = parse_json({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    const GenerationSettings read = read_generation_file(json, "fuzz.json", kVocab).settings;
    GenerationSettings usual;
    usual.num_beams = 4;
    for (const GenerationPlan& plan : {plan_of(read), plan_of(merged(read, {}, usual))}) {
      std::vector<int> tokens(12);
      std::iota(tokens.begin(), tokens.end(), 0);
      for (const size_t length : {1, 2, 7, 12}) {
        try {
          choose(plan, {tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(length)}, 1);
        } catch (const Error& error) {  // nothing left to choose from
          fuzz::check_error(error);
        }
      }
    }
  } catch (const Error& error) {
    fuzz::check_error(error);
  }
  return 0;
}
