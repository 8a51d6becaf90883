// A group whose processes have a GPU each: what lies in the GPUs' memory goes from one to another
// through NCCL. It only carries bytes, from process to process: NCCL's own sums have another order
// for every number of processes. Everything else, and who is gone, is the business of another
// group.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/side_stream.h"
#include "group/group.h"
#include "group/nccl.h"

namespace jogak {

class NcclGroup final : public ProcessGroup {
 public:
  // All processes at the same time, with what new_id() gave the first of them. Error, in those
  // where it was found, when they cannot be connected.
  NcclGroup(std::shared_ptr<ProcessGroup> host, const Nccl& nccl, const Nccl::Id& id,
            SideStream stream);
  ~NcclGroup() override;  // what was sent arrives, unless something went wrong
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  Processes processes() const override { return host_->processes(); }
  int64_t on_this_machine() const override { return host_->on_this_machine(); }
  void check() override { host_->check(); }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    host_->exchange(out, in);
  }
  bool reaches_gpus() const override { return true; }
  void exchange_on_gpus(std::span<const Outgoing> out, std::span<const Incoming> in) override;

 private:
  void meet(Nccl::Result begun);
  bool settled();  // nothing is going on in the communicator
  void begin(std::span<const Outgoing> out, std::span<const Incoming> in);
  void wait(const std::function<bool()>& done);
  bool flushed();  // what was sent has arrived
  void abort();
  [[noreturn]] void give_up(Nccl::Result result);

  std::shared_ptr<ProcessGroup> host_;
  Nccl nccl_;
  SideStream stream_;
  Nccl::Comm* comm_ = nullptr;
  bool connected_ = false;
};

// What a process knows of its GPU.
struct OwnGpu {
  std::string place;                   // which of the machine's; empty: it computes on none
  std::function<SideStream()> stream;  // one to exchange on
};
// The same processes, connected by NCCL where each has a GPU of its own and all have NCCL; else
// `group` itself, and `why` says why, the same in all of them. Called by all.
std::shared_ptr<ProcessGroup> connect_gpus(std::shared_ptr<ProcessGroup> group, const OwnGpu& gpu,
                                           std::string& why);

}  // namespace jogak
