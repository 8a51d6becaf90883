// DistilBERT: BERT with half the layers, without token types and pooler.
#pragma once

#include "models/encoders/bert.h"

namespace jogak {

struct DistilBertConfig : BertConfig {
  DistilBertConfig();
  static const ConfigTable<DistilBertConfig>& table();
};

using DistilBert = BertOf<DistilBertConfig>;

}  // namespace jogak
