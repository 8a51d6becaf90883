// One pass, as several views of the page show it: step by step, its positions, its norms.
#pragma once

#include "app/page/watch.h"
#include "base/json.h"
#include "base/lang.h"
#include "look/inspection.h"
#include "look/position_formulas.h"

namespace jogak {

// {"tokens" or "source_tokens" and
// "target_tokens","token","steps":[{"name","role","layer","source",
// "shape","mean","std","min","max","values":[[..]]}]}: numbers as `inspect trace` prints them.
Json pass_steps(const InspectSubject& subject, const PassQuestion& question);

// Positions by a formula, as `inspect positions` shows those of a model.
Inspection formula_positions(const PositionFormula& formula, Lang lang);

// What tokens and positions have to do with each other, added and side by side. With e the vector
// of a token and p that of its place, (e + p)·(e' + p') is the sum of four products, and
// [e; p]·[e'; p'] of two. {"tokens","names":["ee","ep","pe","pp"],"products":[[[..]]]}, each
// divided by the root of the width. UsageError where the model adds no positions.
Json position_products(const InspectSubject& subject, const PassQuestion& question);

// LayerNorm, RMSNorm and BatchNorm of the same values: what one norm of the model was given.
// {"tokens","places":[..],"place","input","layer","rms","batch","own":[[..]],"mean","deviation",
// "rms_size","feature_mean","feature_deviation"}: the first tokens and features of each; the last
// five are lists of all. Without scale and shift, but for "own", which is what the model made.
Json norms_compared(const InspectSubject& subject, const PassQuestion& question, int64_t place);

// {"tokens","layers":[..],"sizes":[[..]]}: the root mean square of each token's vector, before the
// first layer and after each.
Json stream_sizes(const InspectSubject& subject, const PassQuestion& question);

}  // namespace jogak
