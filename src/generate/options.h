// What can be asked of writing: sampling, beam search, translating.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace jogak {

struct BiasedSequence {
  std::vector<int> ids = {};
  double bias = 0;  // added to the score of the last id where the others stand before it
};

struct EndGrowth {    // exponential_decay_length_penalty
  int64_t start = 0;  // new tokens after which the end tokens gain
  double factor = 1;
};

// What happens to the scores of the next token before one is chosen, in this order (score_rules.h).
struct ScoreRules {
  std::vector<BiasedSequence> sequence_bias = {};
  double encoder_repetition_penalty = 1;  // above 1: tokens of the source are likelier
  double repetition_penalty = 1;          // above 1: tokens of the text so far are less likely
  // Taken off the score of each new token that came, once and for every time (OpenAI's).
  double presence_penalty = 0, frequency_penalty = 0;
  int64_t no_repeat_ngram_size = 0;  // n-grams of the text come once; 0: any number of times
  int64_t encoder_no_repeat_ngram_size = 0;          // n-grams of the source do not come; 0: may
  std::vector<std::vector<int>> bad_words_ids = {};  // sequences that do not come
  int64_t min_length = 0;        // no end token before the text, prompt included, is this long
  int64_t min_new_tokens = 0;    // the same without the prompt; above 0: instead of min_length
  int forced_bos_token_id = -1;  // after a prompt of one token; -1: none
  std::vector<int> forced_eos_token_ids = {};  // one of them is the last token of the longest text
  bool remove_invalid_values = false;          // NaN counts as 0, infinities as the largest floats
  std::optional<EndGrowth> end_growth = {};
  std::vector<int> suppress_tokens = {}, begin_suppress_tokens = {};
};

struct SamplingOptions {
  double temperature = 0;     // 0: always the best token, nothing is drawn
  double top_h = 0;           // keep the best until they hold this share of the entropy; 0: all
  int64_t top_k = 0;          // keep the k best and their equals; 0: all
  double top_p = 1;           // keep the best until they hold this share of the probability
  double min_p = 0;           // keep what is at least this fraction as likely as the best
  double typical_p = 1;       // keep the most typical until they hold this share
  double epsilon_cutoff = 0;  // keep what is at least this likely
  double eta_cutoff = 0;      // the same, less where the choice is wide
  int64_t keep = 1;           // each filter leaves at least so many
  uint64_t seed = 0;
};

// When the search may end, once `beams` texts are finished.
enum class EarlyStopping : uint8_t {
  no,     // when the best running text, scored at its present length, is worse than all of them
  yes,    // at once
  never,  // when no running text could become better at any length
};

struct BeamOptions {
  int beams = 4;
  int n_best = 1;             // how many texts to return
  double length_penalty = 1;  // score = log probability / length ^ penalty
  EarlyStopping early_stopping = EarlyStopping::no;
  ScoreRules rules = {};     // for log probabilities; with one beam for logits, as transformers
  bool renormalize = false;  // log probabilities among the tokens the rules and filters leave
  SamplingOptions sampling = {};  // temperature above 0: continuations are drawn
  int64_t max_new = 0;            // most new tokens; 0: until the context is full
  std::vector<int> eos_ids = {};
  size_t show = 0;  // how many of the candidates of each new token to keep in the result
};

struct TranslateOptions {
  BeamOptions beam = {};  // end tokens come from `ends`; drawn by one beam, n_best are drawn
  std::optional<std::vector<int>> ends = {};  // tokens that end a translation; none: the model's
  int start = -1;                             // the token it begins with; -1: the model's
  bool may_pad = false;                       // padding may come, unless the rules forbid it
  int64_t max_new = 0;           // most tokens of a translation; 0: twice the source's and fifty
  int64_t sentences = 32;        // in one pass
  bool alignment = false;        // also say where in the source each token looked
  int64_t alignment_layer = -1;  // of the decoder; -1: the mean of all
  const std::atomic<bool>* stop = nullptr;                       // set it, and Stopped is thrown
  std::function<void(int64_t done, int64_t all)> progress = {};  // sentences finished so far
};

// UsageError: found, wanted.
void check(const SamplingOptions& options);
void check(const BeamOptions& options);

}  // namespace jogak
