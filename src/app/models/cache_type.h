// In how many bits keys and values of running texts are kept: what a command's --cache-type says.
#pragma once

#include <string>

#include "ops/page_layout.h"

namespace jogak {

struct Model;

// f32, bf16 or q8; UsageError for another. For every model opened from then on.
void use_cache_type(const std::string& name);

// Called once on a model just built. UsageError where it cannot: q8 on a GPU, and anything
// but f32 where what it keeps are states of a recurrence.
void set_cache_type(Model& model);
// The same with a type of the caller's.
void set_cache_type(Model& model, CacheType type);

}  // namespace jogak
