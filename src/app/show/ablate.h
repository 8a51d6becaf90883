// `jogak ablate`: parts of a model switched off, or exchanged with another run's; before and after.
#pragma once

#include <atomic>
#include <string>

#include "app/show/inspect_input.h"
#include "look/inspection.h"

namespace jogak {

struct AblateCommand {
  std::string directory;
  InputChoice input = {};
  std::string data = {};   // instead: a file, over which losses are averaged
  std::string off = {};    // "head:0.1,ffn:2"
  std::string each = {};   // "head": one after the other, every one
  std::string patch = {};  // "layer:3", with `from`
  InputChoice from = {};
  int64_t at = -1;  // patch: one token alone
  int64_t top = 5;  // answers shown
  Lang lang = Lang::en;
  const std::atomic<bool>* stop = nullptr;  // set it, and Stopped is thrown
};

Inspection ablate(const AblateCommand& command);
// The same of a model that is open already: the command's directory does not matter.
Inspection ablate(const InspectSubject& subject, const AblateCommand& command);

}  // namespace jogak
