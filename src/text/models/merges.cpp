#include "text/models/merges.h"

#include "text/models/merges_impl.h"

namespace jogak::text {

template class BasicMerger<MergeTable>;

}  // namespace jogak::text
