#include "group/socket_group.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace jogak {
namespace {

constexpr int kLook = 100;  // ms between looks at the watch

struct Head {  // opens what one process sends another in one exchange
  uint64_t number, bytes;
};

struct Lane {  // to and from one other process
  int64_t index = 0;
  int fd = -1;
  Head sent{}, found{};
  std::vector<std::span<const std::byte>> out;
  std::vector<std::span<std::byte>> in;
  size_t out_at = 0, in_at = 0;  // of the lists above
  uint64_t wanted = 0;
  bool checked = false;  // the head has come and fits

  bool sends() const { return out_at < out.size(); }
  bool receives() const { return in_at < in.size(); }
};

constexpr size_t kPieces = 64;  // of a system call: norms and biases are small, and many

// Those from `at` on, as the system reads them.
template <class Spans>
size_t list_pieces(const Spans& all, size_t at, iovec* out) {
  size_t count = 0;
  for (; at < all.size() && count < kPieces; ++at, ++count) {
    const auto bytes = std::as_bytes(all[at]);
    out[count] = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  }
  return count;
}

// So many bytes were moved, from `at` on.
template <class Spans>
void pass(Spans& all, size_t& at, size_t moved) {
  while (moved > 0) {
    const size_t here = std::min(moved, all[at].size());
    all[at] = all[at].subspan(here);
    moved -= here;
    if (all[at].empty()) ++at;
  }
}

bool would_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// False when the connection is broken.
bool push(Lane& lane) {
  while (lane.sends()) {
    iovec pieces[kPieces];
    msghdr message{};
    message.msg_iov = pieces, message.msg_iovlen = list_pieces(lane.out, lane.out_at, pieces);
    const ssize_t sent = ::sendmsg(lane.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return would_wait();
    pass(lane.out, lane.out_at, static_cast<size_t>(sent));
  }
  return true;
}

bool pull(Lane& lane, const std::string& name) {
  while (lane.receives()) {
    iovec pieces[kPieces];
    msghdr message{};
    // The head alone: what follows it is taken only where it is what was wanted.
    message.msg_iov = pieces;
    message.msg_iovlen = lane.checked ? list_pieces(lane.in, lane.in_at, pieces)
                                      : list_pieces(std::span(lane.in).first(1), 0, pieces);
    const ssize_t got = ::recvmsg(lane.fd, &message, MSG_DONTWAIT);
    if (got == 0) return false;
    if (got < 0) return would_wait();
    pass(lane.in, lane.in_at, static_cast<size_t>(got));
    if (lane.checked || lane.in_at == 0) continue;
    lane.checked = true;
    ensure<Error>(lane.found.number == lane.sent.number && lane.found.bytes == lane.wanted, name,
                  ": sends ", lane.found.bytes, " bytes as exchange ", lane.found.number,
                  ", wanted ", lane.wanted, " as ", lane.sent.number);
  }
  return true;
}

}  // namespace

int64_t on_machine_of(const std::vector<Member>& members, int64_t index) {
  return std::count_if(members.begin(), members.end(), [&](const Member& member) {
    return member.host == members[static_cast<size_t>(index)].host;
  });
}

SocketGroup::SocketGroup(Meeting meeting, WatchTimes times)
    : self_(meeting.self), members_(meet(std::move(meeting))), watch_(self_, members_, times) {
  for (Member& member : members_)
    if (member.data.open()) member.data.never_wait();
}

int64_t SocketGroup::on_this_machine() const { return on_machine_of(members_, self_.index); }

void SocketGroup::exchange(std::span<const Outgoing> out, std::span<const Incoming> in) {
  std::vector<Lane> lanes(members_.size());
  ++exchanges_;
  for (size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].index = static_cast<int64_t>(i), lanes[i].fd = members_[i].data.fd();
    if (lanes[i].fd < 0) continue;
    lanes[i].out.push_back(std::as_bytes(std::span(&lanes[i].sent, 1)));
    lanes[i].in.push_back(std::as_writable_bytes(std::span(&lanes[i].found, 1)));
    lanes[i].sent.number = exchanges_;
  }
  for (const Outgoing& one : out) {
    if (one.bytes.empty()) continue;
    Lane& lane = lanes[static_cast<size_t>(one.to)];
    lane.out.push_back(one.bytes);
    lane.sent.bytes += one.bytes.size();
  }
  for (const Incoming& one : in) {
    if (one.bytes.empty()) continue;
    Lane& lane = lanes[static_cast<size_t>(one.from)];
    lane.in.push_back(one.bytes);
    lane.wanted += one.bytes.size();
  }
  std::vector<pollfd> watched;
  while (true) {
    watched.clear();
    for (Lane& lane : lanes) {
      if (lane.fd < 0) continue;  // this process itself
      if (!push(lane) || !pull(lane, members_[static_cast<size_t>(lane.index)].name))
        watch_.explain(lane.index);
      const int events = (lane.sends() ? POLLOUT : 0) | (lane.receives() ? POLLIN : 0);
      if (events != 0) watched.push_back({lane.fd, static_cast<short>(events), 0});
    }
    if (watched.empty()) return;
    watch_.check();
    ::poll(watched.data(), watched.size(), kLook);
  }
}

}  // namespace jogak
