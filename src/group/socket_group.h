// A group whose bytes travel over TCP, on one machine or between several. Where a process may read
// the memory of another, which only processes of one machine may, it takes large pieces from there.
#pragma once

#include <memory>
#include <vector>

#include "group/group.h"
#include "group/lane.h"
#include "group/meet.h"
#include "group/watch.h"

namespace jogak {

class SocketGroup final : public ProcessGroup {
 public:
  explicit SocketGroup(Meeting meeting, WatchTimes times = {});

  Processes processes() const override { return self_; }
  int64_t on_this_machine() const override;
  void check() override { watch_.check(); }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override;

 private:
  void find_neighbours();

  Processes self_;
  std::vector<Member> members_;
  Watch watch_;
  uint64_t exchanges_ = 0;
  std::vector<Lane::Other> others_;  // as exchanges see them
};

int64_t on_machine_of(const std::vector<Member>& members, int64_t index);

}  // namespace jogak
