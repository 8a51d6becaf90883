// What a model's directory says of how its texts are made.
#pragma once

#include "app/models/model.h"
#include "generate/generated.h"
#include "generate/plan.h"
#include "generate/settings_keys.h"

namespace jogak {

// generation_config.json, or where there is none config.json, as transformers 5.22 reads them;
// where neither says anything of an end, a translation has its model's. Of adapters: as their
// model's directory says. What config.json says otherwise, and keys nobody knows, are told in a
// warning.
GenerationSettings directory_settings(const std::string& directory, const Model& model);

// A warning for what is asked of drawing where nothing is drawn.
void warn_of_idle(const GenerationSettings& asked, const GenerationPlan& plan);

// What `jogak generate` and `jogak translate` do where nobody says how.
GenerationSettings usual_generation();
GenerationSettings usual_translation();

// [[[id, probability], ..], ..]: of each token those it was chosen from.
Json candidates_json(const std::vector<std::vector<Candidate>>& all);

// Warnings for a text of so many tokens, its prompt included: longer than what the model was made
// for, or ended by its last position before it was as long as `wanted` says (0: not said).
void warn_of_length(const CausalModel& model, int64_t tokens, int64_t wanted);

}  // namespace jogak
