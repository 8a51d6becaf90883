#include "group/lane.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"

namespace jogak {
namespace {

constexpr size_t kPieces = 64;  // of a system call: norms and biases are small, and many
// Fewer bytes are sent: a list and an answer take longer than the copies they save.
constexpr uint64_t kWorthReading = 1 << 16;

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

template <class T>
auto as_bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

bool would_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

void Lane::send(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  given_.push_back(bytes);
  sent_.bytes += bytes.size();
}

void Lane::receive(std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  wanted_.push_back(bytes);
  wanted_bytes_ += bytes.size();
}

void Lane::start() {
  out_.push_back(as_bytes_of(sent_));
  in_.push_back(as_bytes_of(found_));
  if (!other_.reads_here || sent_.bytes <= kWorthReading) {
    out_.insert(out_.end(), given_.begin(), given_.end());
    return;
  }
  for (const std::span<const std::byte> piece : given_)
    own_pieces_.push_back({reinterpret_cast<uint64_t>(piece.data()), piece.size()});
  sent_.pieces = own_pieces_.size();
  out_.push_back(std::as_bytes(std::span(own_pieces_)));
}

bool Lane::move() { return push() && pull() && (!reading() || (read() && push())); }

short Lane::events() const {
  const bool sends = out_at_ < out_.size();
  const bool receives = expects_ != Expects::nothing && !reading();
  return static_cast<short>((sends ? POLLOUT : 0) | (receives ? POLLIN : 0));
}

bool Lane::push() {
  while (out_at_ < out_.size()) {
    iovec pieces[kPieces];
    msghdr message{};
    message.msg_iov = pieces, message.msg_iovlen = list_pieces(out_, out_at_, pieces);
    const ssize_t sent = ::sendmsg(other_.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return would_wait();
    pass(out_, out_at_, static_cast<size_t>(sent));
  }
  return true;
}

// Nothing is taken from the socket beyond what is expected next: what follows may be of the next
// exchange, or another length than was wanted.
bool Lane::pull() {
  while (true) {
    while (in_at_ < in_.size()) {
      iovec pieces[kPieces];
      msghdr message{};
      message.msg_iov = pieces, message.msg_iovlen = list_pieces(in_, in_at_, pieces);
      const ssize_t got = ::recvmsg(other_.fd, &message, MSG_DONTWAIT);
      if (got == 0) return false;
      if (got < 0) return would_wait();
      pass(in_, in_at_, static_cast<size_t>(got));
    }
    if (!arrived()) return true;
  }
}

// False: there is nothing to take from the socket now.
bool Lane::arrived() {
  switch (expects_) {
    case Expects::head:
      check_head();
      if (found_.pieces > 0) {
        left_.from.resize(found_.pieces);
        in_.push_back(std::as_writable_bytes(std::span(left_.from)));
        expects_ = Expects::list;
      } else {
        in_.insert(in_.end(), wanted_.begin(), wanted_.end());
        expects_ = Expects::bytes;
      }
      return true;
    case Expects::list: begin_reading(); return false;
    case Expects::bytes:
      if (sent_.pieces > 0) in_.push_back(as_bytes_of(answer_));
      expects_ = sent_.pieces > 0 ? Expects::answer : Expects::nothing;
      return sent_.pieces > 0;
    case Expects::answer:
      ensure<Error>(answer_ == sent_.exchange, other_.name, ": has read exchange ", answer_,
                    ", wanted ", sent_.exchange);
      expects_ = Expects::nothing;
      return false;
    default: return false;
  }
}

void Lane::check_head() {
  ensure<Error>(found_.exchange == sent_.exchange && found_.bytes == wanted_bytes_, other_.name,
                ": sends ", found_.bytes, " bytes as exchange ", found_.exchange, ", wanted ",
                wanted_bytes_, " as ", sent_.exchange);
  const bool to_read = other_.is_read && wanted_bytes_ > kWorthReading;
  ensure<Error>(to_read == (found_.pieces > 0) && found_.pieces <= wanted_bytes_, other_.name,
                ": offers ", found_.pieces, " pieces of memory, wanted ",
                to_read ? "some" : "none");
}

void Lane::begin_reading() {
  uint64_t bytes = 0;
  for (const MemoryPiece& piece : left_.from) {
    ensure<Error>(piece.bytes > 0 && piece.bytes <= wanted_bytes_ - bytes, other_.name, ": offers ",
                  piece.bytes, " bytes of memory behind ", bytes, ", wanted ", wanted_bytes_);
    bytes += piece.bytes;
  }
  ensure<Error>(bytes == wanted_bytes_, other_.name, ": offers ", bytes,
                " bytes of memory, wanted ", wanted_bytes_);
  left_.to = wanted_;
  expects_ = Expects::memory;
}

bool Lane::read() {
  if (!left_.some(other_.pid)) return false;
  if (!left_.done()) return true;
  out_.push_back(std::as_bytes(std::span(&sent_.exchange, 1)));
  expects_ = Expects::bytes;  // none: they are here
  return pull();
}

}  // namespace jogak
