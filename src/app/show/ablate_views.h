// Before and after, as tables and pictures.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "app/show/inspect_input.h"
#include "look/inspection.h"
#include "look/recorder.h"

namespace jogak {

struct Answers {
  Tensor values;  // logits [B, T, V] or [B, labels], a forecast [B, horizon, series], or vectors
  double loss = NAN;
};

Json number_json(double x);  // null for NaN

void show_losses(double before, double after, Inspection& out);

// Fills in loss before and after, how far the answers lie apart, and the answers themselves.
void show_change(const InspectSubject& subject, const TokenNames& names, const Answers& before,
                 const Answers& after, int64_t top, Inspection& out);

// The length of the difference over that of the answers before.
double distance(const Answers& before, const Answers& after);

enum class EachMeasure : uint8_t { loss, distance };
struct EachPart {
  std::string text;  // "head:0.1"
  std::string layer;
  int64_t head = 0;
  double change = 0;  // without it, of what is measured
};
// Every part of a kind (head, layer, ffn, attention, norm, residual, cross) that a pass met.
std::vector<EachPart> parts_of(const std::vector<StepRecord>& steps, const std::string& kind);
void show_each(const std::vector<EachPart>& parts, const std::string& kind, EachMeasure measure,
               Inspection& out);

}  // namespace jogak
