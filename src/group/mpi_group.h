// A group whose bytes travel through MPI, over whatever network it knows. Who is gone is still
// found by connections of our own: an MPI call would wait for a dead process for ever.
#pragma once

#include <atomic>
#include <memory>

#include "group/group.h"
#include "group/meet.h"

namespace jogak {

bool has_mpi();  // whether the plugin is there and can be opened
// UsageError where its MPI knows of another number of processes than were started.
std::unique_ptr<ProcessGroup> join_mpi(int64_t count, Facts facts, const std::atomic<bool>* stop);

}  // namespace jogak
