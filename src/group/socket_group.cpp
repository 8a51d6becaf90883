#include "group/socket_group.h"

#include <poll.h>

#include <algorithm>
#include <deque>

namespace jogak {
namespace {

constexpr int kLook = 100;  // ms between looks at the watch

}  // namespace

int64_t on_machine_of(const std::vector<Member>& members, int64_t index) {
  return std::count_if(members.begin(), members.end(), [&](const Member& member) {
    return member.host == members[static_cast<size_t>(index)].host;
  });
}

SocketGroup::SocketGroup(Meeting meeting, WatchTimes times)
    : self_(meeting.self), members_(meet(std::move(meeting))), watch_(self_, members_, times) {
  for (Member& member : members_) {
    if (member.data.open()) member.data.never_wait();
    others_.push_back(
        {.fd = member.data.fd(), .pid = static_cast<pid_t>(member.pid), .name = member.name});
  }
  find_neighbours();
}

// Everybody tells where its sign is, tries to read those of the others, and says whose it read.
void SocketGroup::find_neighbours() {
  struct Card {
    uint64_t at;
    Sign sign;
  };
  const size_t own = static_cast<size_t>(self_.index), count = others_.size();
  let_others_read();
  std::vector<Card> cards(count);
  cards[own] = {reinterpret_cast<uint64_t>(&Sign::own()), Sign::own()};
  std::vector<std::span<std::byte>> parts;
  for (Card& card : cards) parts.push_back(bytes_of(std::span(&card, 1)));
  share(parts);
  std::vector<uint8_t> reads(count * count);  // process, whom it reads
  for (size_t i = 0; i < count; ++i)
    reads[own * count + i] = i != own && members_[i].data.both_here() &&
                             can_read(others_[i].pid, cards[i].at, cards[i].sign);
  for (size_t i = 0; i < count; ++i)
    parts[i] = bytes_of(std::span(reads).subspan(i * count, count));
  share(parts);
  for (size_t i = 0; i < count; ++i)
    others_[i].is_read = reads[own * count + i] != 0,
    others_[i].reads_here = reads[i * count + own] != 0;
}

int64_t SocketGroup::on_this_machine() const { return on_machine_of(members_, self_.index); }

void SocketGroup::exchange(std::span<const Outgoing> out, std::span<const Incoming> in) {
  std::deque<Lane> lanes;  // of all, its own unused
  ++exchanges_;
  for (const Lane::Other& other : others_) lanes.emplace_back(other, exchanges_);
  for (const Outgoing& one : out) lanes[static_cast<size_t>(one.to)].send(one.bytes);
  for (const Incoming& one : in) lanes[static_cast<size_t>(one.from)].receive(one.bytes);
  for (size_t i = 0; i < lanes.size(); ++i)
    if (others_[i].fd >= 0) lanes[i].start();
  std::vector<pollfd> watched;
  while (true) {
    watched.clear();
    bool reading = false;
    for (size_t i = 0; i < lanes.size(); ++i) {
      if (others_[i].fd < 0) continue;  // this process itself
      if (!lanes[i].move()) watch_.explain(static_cast<int64_t>(i));
      if (const short events = lanes[i].events()) watched.push_back({others_[i].fd, events, 0});
      reading |= lanes[i].reading();
    }
    if (watched.empty() && !reading) return;
    watch_.check();
    if (!reading) ::poll(watched.data(), watched.size(), kLook);
  }
}

}  // namespace jogak
