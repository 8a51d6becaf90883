// How this process came to be one of several: started by --processes, by mpirun, by srun, or by
// hand on each machine.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "group/group.h"
#include "group/meet.h"

namespace jogak {

struct PlaceRequest {      // what the user asks for
  int64_t processes = 0;   // 0: not said
  int64_t process = 0;     // by hand: which one this is, from 1
  std::string first = {};  // by hand: HOST:PORT of the first
};

enum class Place {
  alone,
  starts,   // --processes N: others are to be started, and this one waits for them
  started,  // by --processes
  by_hand,
  mpi,
  slurm,
};
// UsageError where flags do not go together, or the environment says something else than they do.
Place find_place(const PlaceRequest& request);

// Which of the processes that were started on this machine this is, from 0: what --processes,
// mpirun or srun left in the environment; 0 where nothing did.
int64_t number_on_this_machine();

// Waits until all are there. Not for `alone` and `starts`.
std::unique_ptr<ProcessGroup> join_group(Place place, const PlaceRequest& request, Facts facts,
                                         const std::atomic<bool>* stop);

// The first of Slurm's list of machines: "node[03-07,12]" -> "node03".
std::string first_of_machines(const std::string& list);

}  // namespace jogak
