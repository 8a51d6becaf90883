// DeiT: ViT with a second token that learnt from a teacher.
#pragma once

#include "models/images/vit.h"

namespace jogak {

struct DeitConfig : VitConfig {
  DeitConfig();
  static const ConfigTable<DeitConfig>& table();
};

using Deit = VitOf<DeitConfig>;

}  // namespace jogak
