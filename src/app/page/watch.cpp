#include "app/page/watch.h"

#include "autograd/autograd.h"
#include "look/switches.h"

namespace jogak {

void watch(const InspectSubject& subject, const InspectInput& input, const PassQuestion& q,
           Probe& probe) {
  Ablation off(q.off.empty() ? std::vector<Switch>{} : parse_switches(q.off));
  ProbeChain both(off, probe);
  const NoGrad quiet;
  Run run;
  run.stop = q.stop;
  run.probe = q.off.empty() ? &probe : &both;
  forward(subject.model(), input.inputs(), run);
  off.check_used();
}

void tell_tokens(const InspectSubject& subject, const TokenNames& names, Json& out) {
  const bool pair = subject.model().translates();
  if (pair || !names.source.empty()) out.set("source_tokens", Json::list(names.source));
  out.set(pair ? "target_tokens" : "tokens", Json::list(names.target));
}

}  // namespace jogak
