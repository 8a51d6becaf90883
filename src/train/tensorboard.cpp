#include "train/tensorboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "base/file.h"
#include "base/hash/crc32c.h"

namespace jogak {
namespace {

// --- protobuf: a key (field number and kind), then the value ---
enum Wire { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_key(std::string& out, int field, Wire wire) {
  put_varint(out, static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(wire));
}

template <class Unsigned>
void put_fixed(std::string& out, Unsigned value) {  // little-endian
  for (size_t i = 0; i < sizeof value; ++i) out += static_cast<char>(value >> (8 * i));
}

void put_bytes(std::string& out, int field, std::string_view bytes) {
  put_key(out, field, kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

// The numbers of the fields are those of TensorFlow's event.proto and summary.proto.
std::string event_at(double seconds, int64_t step) {
  std::string out;
  put_key(out, 1, kFixed64);
  put_fixed(out, std::bit_cast<uint64_t>(seconds));
  put_key(out, 2, kVarint);
  put_varint(out, static_cast<uint64_t>(step));
  return out;
}

std::string summary_of(const Scalars& scalars) {
  std::string out;
  for (const auto& [tag, value] : scalars) {
    std::string entry;
    put_bytes(entry, 1, tag);
    put_key(entry, 2, kFixed32);
    put_fixed(entry, std::bit_cast<uint32_t>(static_cast<float>(value)));
    put_bytes(out, 1, entry);
  }
  return out;
}

double now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

void append(const std::string& path, std::string_view bytes, int flags = 0) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0644);
  const ssize_t written = fd < 0 ? -1 : ::write(fd, bytes.data(), bytes.size());
  const int error = written < 0 ? errno : ENOSPC;
  if (fd >= 0) ::close(fd);
  ensure<IoError>(written == static_cast<ssize_t>(bytes.size()), path,
                  ": writing failed: ", std::strerror(error));
}

}  // namespace

std::string framed_record(std::string_view data) {
  std::string length, out;
  put_fixed(length, static_cast<uint64_t>(data.size()));
  out = length;
  put_fixed(out, masked_crc32c(length));
  out += data;
  put_fixed(out, masked_crc32c(data));
  return out;
}

EventFile::EventFile(const std::string& directory, int64_t resumed_step) {
  const double time = now();
  char name[96];
  std::snprintf(name, sizeof name, "events.out.tfevents.%017.6f.%d", time, ::getpid());
  path_ = join_path(directory, name);
  std::string first = event_at(time, 0);
  put_bytes(first, 3, "brain.Event:2");  // the version of the format
  std::string records = framed_record(first);
  if (resumed_step >= 0) {
    std::string restart = event_at(time, resumed_step + 1), session;
    put_key(session, 1, kVarint);
    put_varint(session, 1);  // START: events from this step on count no longer
    put_bytes(restart, 7, session);
    records += framed_record(restart);
  }
  append(path_, records, O_CREAT | O_EXCL);
}

void EventFile::write(int64_t step, const Scalars& scalars) {
  std::string event = event_at(now(), step);
  put_bytes(event, 5, summary_of(scalars));
  append(path_, framed_record(event));
}

}  // namespace jogak
