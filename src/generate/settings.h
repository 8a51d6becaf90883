// How texts are made: every key of generation_config.json that greedy search, sampling and beam
// search of transformers read. Not set is what nobody said.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generate/options.h"

namespace jogak {

struct GenerationSettings {
  // Length
  std::optional<int64_t> max_new_tokens = {}, max_length = {}, min_new_tokens = {}, min_length = {};
  std::optional<std::vector<std::string>> stop_strings = {};
  // Search
  std::optional<bool> do_sample = {};
  std::optional<int64_t> num_beams = {}, num_return_sequences = {};
  std::optional<double> length_penalty = {};
  std::optional<EarlyStopping> early_stopping = {};
  // Scores
  std::optional<std::vector<BiasedSequence>> sequence_bias = {};
  std::optional<double> encoder_repetition_penalty = {}, repetition_penalty = {};
  std::optional<int64_t> no_repeat_ngram_size = {}, encoder_no_repeat_ngram_size = {};
  std::optional<std::vector<std::vector<int>>> bad_words_ids = {};
  std::optional<int64_t> forced_bos_token_id = {};
  std::optional<std::vector<int>> forced_eos_token_id = {};
  std::optional<bool> remove_invalid_values = {};
  std::optional<EndGrowth> exponential_decay_length_penalty = {};
  std::optional<std::vector<int>> suppress_tokens = {}, begin_suppress_tokens = {};
  std::optional<bool> renormalize_logits = {};
  // Drawing
  std::optional<double> temperature = {}, top_h = {}, top_p = {}, min_p = {}, typical_p = {};
  std::optional<double> epsilon_cutoff = {}, eta_cutoff = {};
  std::optional<int64_t> top_k = {};
  // Tokens
  std::optional<std::vector<int>> eos_token_id = {};
  std::optional<int64_t> bos_token_id = {}, pad_token_id = {}, decoder_start_token_id = {};

  std::string from = {};  // the file they come from, for errors

  bool say_how() const;                         // whether anything but special tokens is set
  void take(const GenerationSettings& others);  // what is set there counts here
};

}  // namespace jogak
