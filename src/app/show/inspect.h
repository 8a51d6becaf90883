// `jogak inspect`: what happens inside a model on a given input.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "app/show/inspect_input.h"
#include "look/inspection.h"
#include "look/views.h"

namespace jogak {

struct InspectCommand {
  std::string what, directory;
  InputChoice input = {};
  AttentionChoice attention = {};
  WeightChoice weights = {};
  std::string off = {};  // parts switched off meanwhile: "residual,norm:1"
  Lang lang = Lang::en;
  const std::atomic<bool>* stop = nullptr;  // set it, and Stopped is thrown
};

const std::vector<std::string>& inspect_topics();  // attention, positions, ..
Inspection inspect(const InspectCommand& command);
// The same of a model that is open already: the command's directory does not matter.
Inspection inspect(const InspectSubject& subject, const InspectCommand& command);

// "x.svg", "x.png", "x.json", "x.html" or "x.txt", by the name; UsageError for another.
void write_inspection(const Inspection& shown, const std::string& path);

}  // namespace jogak
