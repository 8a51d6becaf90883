// Whether two ways of doing something differ, tried with the same seeds.
#pragma once

#include <span>

namespace jogak {

// Student's paired t-test, two-sided: how often a mean difference as large as this would come from
// seeds alone. 1 where all differences are 0; NaN with fewer than two pairs or what is not finite.
double paired_p_value(std::span<const double> a, std::span<const double> b);

}  // namespace jogak
