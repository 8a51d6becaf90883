// RoBERTa and XLM-RoBERTa: BERT without a second sentence, whose positions count real tokens alone,
// with heads of their own.
#pragma once

#include "models/encoders/bert.h"

namespace jogak {

struct RobertaConfig : BertConfig {
  RobertaConfig();
  static const ConfigTable<RobertaConfig>& table();
};

struct XlmRobertaConfig : RobertaConfig {
  XlmRobertaConfig();
  static const ConfigTable<XlmRobertaConfig>& table();
};

using Roberta = BertOf<RobertaConfig>;
using XlmRoberta = BertOf<XlmRobertaConfig>;

}  // namespace jogak
