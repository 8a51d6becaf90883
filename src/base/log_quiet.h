// Of several processes that do one work, one says what is to be said.
#pragma once

namespace jogak {

void say_errors_only();  // from here on no notes and no warnings of this process

}  // namespace jogak
