// ELECTRA: BERT whose tables may be narrower than its layers; a generator fills in masked words, a
// discriminator tells which tokens were replaced.
#pragma once

#include "models/encoders/bert.h"

namespace jogak {

struct ElectraConfig : BertConfig {
  ElectraConfig();
  static const ConfigTable<ElectraConfig>& table();
};

using Electra = BertOf<ElectraConfig>;

}  // namespace jogak
