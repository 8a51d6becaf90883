// The machine's processors.
#pragma once

namespace jogak {

int processor_count();  // that this process may use

}  // namespace jogak
