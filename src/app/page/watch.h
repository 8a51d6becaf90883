// A pass that a probe watches, as every view of a pass begins.
#pragma once

#include <atomic>
#include <string>

#include "app/show/inspect_input.h"
#include "base/json.h"
#include "nn/probe.h"

namespace jogak {

struct PassQuestion {
  InputChoice input = {};
  int64_t token = 0;  // whose numbers are shown
  int64_t row = 0;    // of attention, where the model goes over series or patches one by one
  std::string off = {};
  const std::atomic<bool>* stop = nullptr;
};

// With the parts switched off that the question names.
void watch(const InspectSubject& subject, const InspectInput& input, const PassQuestion& question,
           Probe& probe);

// "tokens", or "source_tokens" and "target_tokens" of a translation.
void tell_tokens(const InspectSubject& subject, const TokenNames& names, Json& out);

}  // namespace jogak
