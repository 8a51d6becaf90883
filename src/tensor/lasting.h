// Memory of what is laid out once and read for as long as it lives: weights in the order of
// products.
#pragma once

#include <cstddef>
#include <memory>

#include "tensor/storage.h"

namespace jogak {

// On the CPU. Blocks lie one behind the other in pieces that huge pages fill: in pages of 4 KiB,
// which a block of its own has at its end, reading takes a third longer. A piece goes back when the
// last of its blocks does.
std::shared_ptr<Storage> lasting_storage(size_t bytes);

}  // namespace jogak
