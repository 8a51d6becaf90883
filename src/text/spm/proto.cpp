#include "text/spm/proto.h"

#include <bit>
#include <vector>

namespace jogak::text {
namespace {

constexpr size_t kDeepestGroup = 100;  // as protocol buffers have it

}  // namespace

uint64_t ProtoReader::varint() {
  const size_t start = at_;
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at_ == bytes_.size()) wrong(offset_ + start, "found a number cut short by the end");
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  wrong(offset_ + start, "found a number of more than 10 bytes");
}

void ProtoReader::read_tag() {
  tag_at_ = at_;
  const uint64_t tag = varint();
  const uint64_t field = tag >> 3;
  if (field == 0 || field > 0x1FFFFFFF)
    wrong(offset_ + tag_at_, "found field number ", field, ", wanted 1 to 536870911");
  if ((tag & 7) > 5) wrong(offset_ + tag_at_, "found wire type ", tag & 7, ", wanted 0 to 5");
  field_ = static_cast<uint32_t>(field);
  wire_ = static_cast<Wire>(tag & 7);
}

void ProtoReader::read_value() {
  value_at_ = at_;
  const auto take_bytes = [&](uint64_t size) {
    const size_t left = bytes_.size() - at_;
    if (size > left)
      wrong(offset_ + value_at_, "field ", field_, " has ", size, " bytes, but only ", left,
            " are left");
    value_at_ = at_;
    payload_ = bytes_.substr(at_, size);
    at_ += size;
  };
  switch (wire_) {
    case Wire::varint: number_ = varint(); return;
    case Wire::fixed64: return take_bytes(8);
    case Wire::fixed32: return take_bytes(4);
    case Wire::bytes: return take_bytes(varint());
    case Wire::start: return skip_group();
    case Wire::end: wrong(offset_ + tag_at_, "found the end of a group that was not begun");
  }
}

// Groups are an old form that no field of ours has.
void ProtoReader::skip_group() {
  const size_t begun = offset_ + tag_at_;
  std::vector<uint32_t> open{field_};
  while (!open.empty()) {
    if (at_ == bytes_.size()) wrong(begun, "found the start of a group without its end");
    read_tag();
    if (wire_ == Wire::end) {
      if (field_ != open.back())
        wrong(offset_ + tag_at_, "found the end of group ", field_, ", wanted that of group ",
              open.back());
      open.pop_back();
    } else if (wire_ == Wire::start) {
      open.push_back(field_);
      if (open.size() > kDeepestGroup)
        wrong(offset_ + tag_at_, "found groups more than ", kDeepestGroup, " deep");
    } else {
      read_value();
    }
  }
  wire_ = Wire::start;
}

bool ProtoReader::next() {
  if (at_ == bytes_.size()) return false;
  read_tag();
  read_value();
  return true;
}

bool ProtoReader::take(bool& value) const {
  if (wire_ != Wire::varint) return false;
  value = number_ != 0;
  return true;
}

bool ProtoReader::take(int32_t& value) const {
  if (wire_ != Wire::varint) return false;
  value = static_cast<int32_t>(static_cast<uint32_t>(number_));
  return true;
}

bool ProtoReader::take(float& value) const {
  if (wire_ != Wire::fixed32) return false;
  uint32_t bits = 0;
  for (size_t i = 0; i < 4; ++i)
    bits |= static_cast<uint32_t>(static_cast<unsigned char>(payload_[i])) << 8 * i;
  value = std::bit_cast<float>(bits);
  return true;
}

bool ProtoReader::take(std::string_view& value) const {
  if (wire_ != Wire::bytes) return false;
  value = payload_;
  return true;
}

}  // namespace jogak::text
