// Diagrams of whole models.
#pragma once

#include "base/lang.h"
#include "base/model_outline.h"
#include "draw/picture.h"

namespace jogak {

ModelOutline example_outline(ModelOutline::Wiring wiring);  // 2017's, GPT-2 small, BERT-base

Picture diagram_of(const ModelOutline& outline, Lang lang);

}  // namespace jogak
