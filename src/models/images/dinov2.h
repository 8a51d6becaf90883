// DINOv2: ViT whose sub-layers are scaled before they join the stream; labels are read off the
// class token and the mean of the patches.
#pragma once

#include "models/images/vit.h"

namespace jogak {

struct Dinov2Config : VitConfig {
  int64_t mlp_ratio = 4;
  Dinov2Config();
  static const ConfigTable<Dinov2Config>& table();
};

using Dinov2 = VitOf<Dinov2Config>;

}  // namespace jogak
