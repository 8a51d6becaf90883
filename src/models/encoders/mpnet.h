// MPNet: BERT without token types, whose positions count real tokens alone and whose scores also
// know how far two tokens stand from each other.
#pragma once

#include "models/encoders/bert.h"

namespace jogak {

struct MpnetConfig : BertConfig {
  int64_t named_pad = 1;  // "pad_token_id", which the model itself never asks: -1: none
  MpnetConfig();
  static const ConfigTable<MpnetConfig>& table();
};

using Mpnet = BertOf<MpnetConfig>;

}  // namespace jogak
