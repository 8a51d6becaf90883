#include "data/idx_file.h"

#include "base/file.h"

namespace jogak {
namespace {

constexpr size_t kMostBytes = size_t{8} << 30;
constexpr uint8_t kUnsignedByte = 0x08;

uint32_t big_endian(std::string_view bytes, size_t at) {
  uint32_t out = 0;
  for (size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}

}  // namespace

IdxFile parse_idx(std::string_view bytes, const std::string& name) {
  ensure<FormatError>(bytes.size() >= 4, name, ": byte 0: found ", bytes.size(),
                      " bytes, wanted the four that begin an IDX file");
  ensure<FormatError>(bytes[0] == 0 && bytes[1] == 0, name,
                      ": byte 0: found other bytes, wanted two zeros that begin an IDX file");
  ensure<FormatError>(static_cast<uint8_t>(bytes[2]) == kUnsignedByte, name,
                      ": byte 2: found values of type ", int{static_cast<uint8_t>(bytes[2])},
                      ", wanted 8, unsigned bytes");
  const auto sides = static_cast<size_t>(static_cast<uint8_t>(bytes[3]));
  ensure<FormatError>(sides >= 1 && sides <= 8, name, ": byte 3: found ", sides,
                      " sides, wanted 1 to 8");
  const size_t begin = 4 + 4 * sides;
  ensure<FormatError>(bytes.size() >= begin, name, ": byte ", bytes.size(),
                      ": the file ends within its sizes");
  IdxFile out;
  uint64_t count = 1;
  for (size_t i = 0; i < sides; ++i) {
    const uint64_t side = big_endian(bytes, 4 + 4 * i);
    ensure<FormatError>(side == 0 || count <= kMostBytes / side, name, ": byte ", 4 + 4 * i,
                        ": found a side of ", side, ", over ", kMostBytes, " bytes altogether");
    count *= side;
    out.shape.push_back(static_cast<int64_t>(side));
  }
  ensure<FormatError>(bytes.size() - begin == count, name, ": byte ", begin, ": found ",
                      bytes.size() - begin, " values, wanted ", count, " as its sizes say");
  out.values.assign(bytes.begin() + static_cast<int64_t>(begin), bytes.end());
  return out;
}

IdxFile read_idx(const std::string& file, const std::string& where_to_get) {
  const std::string path = find_data(file, where_to_get);
  return parse_idx(read_text_file(path, kMostBytes), path);
}

std::string idx_bytes(const IdxFile& file) {
  std::string out{0, 0, kUnsignedByte, static_cast<char>(file.shape.size())};
  for (const int64_t side : file.shape)
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(side >> shift & 0xFF);
  return out.append(file.values.begin(), file.values.end());
}

std::string idx_labels_beside(const std::string& images) {
  const size_t slash = images.rfind('/');
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  std::string out = images;
  const auto replace = [&](const std::string& from, const std::string& to) {
    const size_t at = out.find(from, name);
    ensure<UsageError>(at != std::string::npos, images, ": its name has no \"", from,
                       "\", so the file of labels cannot be inferred; name it as well");
    out.replace(at, from.size(), to);
  };
  replace("images", "labels");
  replace("idx3", "idx1");
  return out;
}

}  // namespace jogak
