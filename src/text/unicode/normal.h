// Unicode's normal forms, with the tables of the reference.
#pragma once

#include "text/aligned_text.h"

namespace jogak::text {

enum class NormalForm { nfc, nfd, nfkc, nfkd };

AlignedText normalized(AlignedText in, NormalForm form);

}  // namespace jogak::text
