// How long OpenMP's threads wait awake for their next piece of work.
#pragma once

namespace jogak::cli {

void keep_words(char** words);  // of main(): what bound_waiting() starts again with

// libgomp's threads spin for milliseconds at every barrier; where others use the processors too,
// they take the time from the thread that is waited for, and a command becomes several times
// slower. libgomp reads the bound before main() begins, so the program sets it and starts once
// more. Nothing happens when the user has decided (OMP_WAIT_POLICY, GOMP_SPINCOUNT).
void bound_waiting();

}  // namespace jogak::cli
