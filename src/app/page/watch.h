// A pass that a probe watches, as every view of a pass begins.
#pragma once

#include "app/page/pass_views.h"
#include "nn/probe.h"

namespace jogak {

// With the parts switched off that the question names.
void watch(const InspectSubject& subject, const InspectInput& input, const PassQuestion& question,
           Probe& probe);

// "tokens", or "source_tokens" and "target_tokens" of a translation.
void tell_tokens(const InspectSubject& subject, const TokenNames& names, Json& out);

}  // namespace jogak
