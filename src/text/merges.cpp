#include "text/merges.h"

#include "text/merges_impl.h"

namespace jogak::text {

template class BasicMerger<MergeTable>;

}  // namespace jogak::text
