#pragma once

#include "tensor/launch.h"

namespace jogak {

struct UpdateNumbers {
  double scale = 1;    // what every gradient is multiplied by
  double allowed = 1;  // 0: nothing may change
  double share = 1;    // of the summed gradient in the mean
  double limit = 0;    // the largest norm of the mean gradient; 0: any
  double rate = 0;
  double m_rate = 0;  // Adam's rate, with the correction of m
  double v_root = 1;  // 1 / sqrt of the correction of v
};

struct UpdateScaleArgs {
  const double* sums;
  UpdateNumbers* numbers;
};

void run(OnCpu, const UpdateScaleArgs& a);

namespace cuda {
void run(OnCuda, const UpdateScaleArgs& a);
}  // namespace cuda

}  // namespace jogak
