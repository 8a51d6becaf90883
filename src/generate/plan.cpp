#include "generate/plan.h"

#include <algorithm>

#include "base/error.h"

namespace jogak {
namespace {

template <class... Parts>
void require(bool good, const GenerationSettings& s, const char* key, const Parts&... parts) {
  ensure<FormatError>(good, s.from, ": \"", key, "\": ", parts...);
}

bool inside(const std::vector<int>& ids, const std::vector<int>& others) {
  return std::all_of(ids.begin(), ids.end(), [&](int id) {
    return std::find(others.begin(), others.end(), id) != others.end();
  });
}

ScoreRules rules_of(const GenerationSettings& s) {
  ScoreRules r;
  r.sequence_bias = s.sequence_bias.value_or(r.sequence_bias);
  r.encoder_repetition_penalty = s.encoder_repetition_penalty.value_or(1);
  r.repetition_penalty = s.repetition_penalty.value_or(1);
  r.no_repeat_ngram_size = s.no_repeat_ngram_size.value_or(0);
  r.encoder_no_repeat_ngram_size = s.encoder_no_repeat_ngram_size.value_or(0);
  r.bad_words_ids = s.bad_words_ids.value_or(r.bad_words_ids);
  r.min_length = s.min_length.value_or(0);
  r.min_new_tokens = s.min_new_tokens.value_or(0);
  r.forced_bos_token_id = static_cast<int>(s.forced_bos_token_id.value_or(-1));
  r.forced_eos_token_ids = s.forced_eos_token_id.value_or(r.forced_eos_token_ids);
  r.remove_invalid_values = s.remove_invalid_values.value_or(false);
  r.end_growth = s.exponential_decay_length_penalty;
  r.suppress_tokens = s.suppress_tokens.value_or(r.suppress_tokens);
  r.begin_suppress_tokens = s.begin_suppress_tokens.value_or(r.begin_suppress_tokens);
  return r;
}

SamplingOptions sampling_of(const GenerationSettings& s, int64_t beams, size_t ends) {
  SamplingOptions o;
  if (!s.do_sample.value_or(false)) return o;
  o.temperature = s.temperature.value_or(1);
  o.top_h = s.top_h.value_or(0);
  o.top_k = s.top_k.value_or(50);
  o.top_p = s.top_p.value_or(1);
  o.min_p = s.min_p.value_or(0);
  o.typical_p = s.typical_p.value_or(1);
  const auto cutoff = [](const std::optional<double>& x) { return x && *x < 1 ? *x : 0; };
  o.epsilon_cutoff = cutoff(s.epsilon_cutoff);
  o.eta_cutoff = cutoff(s.eta_cutoff);
  // Beams need a token to go on with, whichever of the others end the text.
  if (beams > 1) o.keep = static_cast<int64_t>(std::max<size_t>(ends, 1)) + 1;
  return o;
}

void check_together(const GenerationSettings& s, const GenerationPlan& plan) {
  const bool draws = s.do_sample.value_or(false);
  require(!draws || plan.beam.sampling.temperature > 0, s, "temperature",
          "found 0, wanted a number above 0 where do_sample is true");
  require(plan.beam.n_best <= plan.beam.beams || (draws && plan.beam.beams == 1), s,
          "num_return_sequences", "found ", plan.beam.n_best, ", wanted at most num_beams, ",
          plan.beam.beams, draws ? "" : ", or do_sample");
  require(!s.exponential_decay_length_penalty || s.eos_token_id, s,
          "exponential_decay_length_penalty", "there is no eos_token_id that could gain");
  const ScoreRules& r = plan.beam.rules;
  const auto forced = [&](const char* key, const std::vector<int>& ids) {
    require(ids.empty() || !inside(ids, r.suppress_tokens), s, key,
            "found what suppress_tokens forbids");
  };
  if (r.forced_bos_token_id >= 0) forced("forced_bos_token_id", {r.forced_bos_token_id});
  forced("forced_eos_token_id", r.forced_eos_token_ids);
}

}  // namespace

int64_t GenerationPlan::room_after(size_t prompt) const {
  if (max_new_tokens > 0) return max_new_tokens;
  if (max_length == 0) return 0;
  const auto used = static_cast<int64_t>(prompt);
  ensure<UsageError>(used < max_length, from, ": \"max_length\": found ", max_length,
                     ", but the prompt has ", used, " tokens");
  return max_length - used;
}

GenerationPlan plan_of(const GenerationSettings& s) {
  GenerationPlan out;
  out.from = s.from;
  out.beam.beams = static_cast<int>(s.num_beams.value_or(1));
  out.beam.length_penalty = s.length_penalty.value_or(1);
  out.beam.early_stopping = s.early_stopping.value_or(EarlyStopping::no);
  out.beam.eos_ids = s.eos_token_id.value_or(out.beam.eos_ids);
  out.beam.rules = rules_of(s);
  out.beam.renormalize = s.renormalize_logits.value_or(false);
  out.beam.sampling = sampling_of(s, out.beam.beams, out.beam.eos_ids.size());
  out.beam.n_best = static_cast<int>(s.num_return_sequences.value_or(1));
  out.stop = s.stop_strings.value_or(out.stop);
  out.max_new_tokens = s.max_new_tokens.value_or(0);
  out.max_length = s.max_length.value_or(0);
  out.start = static_cast<int>(s.decoder_start_token_id.value_or(-1));
  check_together(s, out);
  return out;
}

GenerationSettings merged(const GenerationSettings& directory, const GenerationSettings& asked,
                          const GenerationSettings& usual) {
  GenerationSettings out;
  if (!directory.say_how()) out = usual;
  out.take(directory);
  out.from = directory.from;
  if (!out.max_new_tokens && !out.max_length) out.max_new_tokens = usual.max_new_tokens;
  // Of two ways to say a length the one that is asked for.
  if (asked.max_length && !asked.max_new_tokens) out.max_new_tokens.reset();
  if (asked.min_length && !asked.min_new_tokens) out.min_new_tokens.reset();
  if (asked.num_beams.value_or(1) > 1 && !directory.say_how()) out.do_sample.reset();
  if (asked.temperature) out.do_sample = *asked.temperature > 0;
  out.take(asked);
  // As many beams as texts are asked for, when nobody asks for fewer.
  const int64_t texts = asked.num_return_sequences.value_or(0);
  if (!out.do_sample.value_or(false) && !asked.num_beams && texts > out.num_beams.value_or(1))
    out.num_beams = texts;
  return out;
}

}  // namespace jogak
