#include "text/models/merges.h"

#include "text/models/merges-inl.h"

namespace jogak::text {

template class BasicMerger<MergeTable>;

}  // namespace jogak::text
