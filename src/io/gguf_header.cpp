#include "io/gguf_header.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/utf8.h"
#include "io/foreign_file.h"
#include "io/safetensors_header.h"

namespace jogak {
namespace {

constexpr uint64_t kMostValues = 1 << 16, kMostAxes = 4, kMostAlignment = 1 << 20;
constexpr uint32_t kOldest = 2, kNewest = 3;

enum class Kind : uint32_t { u8, i8, u16, i16, u32, i32, f32, flag, text, list, u64, i64, f64 };

// Reads numbers and texts one after the other; every size is held against what is left.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  uint64_t at() const { return at_; }
  uint64_t left() const { return bytes_.size() - at_; }

  template <class... Parts>
  [[noreturn]] void wrong(uint64_t at, const Parts&... parts) const {
    fail<FormatError>(file_, ": byte ", at, ": ", parts...);
  }

  template <class T>
  T number() {
    if (left() < sizeof(T))
      wrong(at_, "found the end of the file, wanted ", sizeof(T), " more bytes");
    T out;
    std::memcpy(&out, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return out;
  }

  std::string text(uint64_t most, const char* what) {
    const uint64_t from = at_, length = number<uint64_t>();
    if (length > most) wrong(from, what, ": found a length of ", length, ", wanted at most ", most);
    if (length > left())
      wrong(from, what, ": found a length of ", length, ", wanted at most the ", left(),
            " bytes that are left");
    std::string out(bytes_.substr(at_, length));
    at_ += length;
    if (const size_t bad = utf8::first_invalid(out); bad != std::string::npos)
      wrong(at_ - length + bad, what, ": found a byte that is not UTF-8");
    return out;
  }

  Json value(Kind kind, bool within_list) {
    switch (kind) {
      case Kind::u8: return int64_t{number<uint8_t>()};
      case Kind::i8: return int64_t{number<int8_t>()};
      case Kind::u16: return int64_t{number<uint16_t>()};
      case Kind::i16: return int64_t{number<int16_t>()};
      case Kind::u32: return int64_t{number<uint32_t>()};
      case Kind::i32: return int64_t{number<int32_t>()};
      case Kind::i64: return number<int64_t>();
      case Kind::f32: return double{number<float>()};
      case Kind::f64: return number<double>();
      case Kind::text: return text(kMaxHeaderBytes, "a text");
      case Kind::u64: return large();
      case Kind::flag: return flag();
      case Kind::list:
        if (!within_list) return list();
    }
    wrong(at_, "found a value of type ", static_cast<uint32_t>(kind), ", wanted 0 to 12",
          within_list ? ", and no list within a list" : "");
  }

 private:
  Json large() {
    const uint64_t from = at_, found = number<uint64_t>();
    if (found > INT64_MAX) wrong(from, "found ", found, ", wanted at most ", INT64_MAX);
    return static_cast<int64_t>(found);
  }
  Json flag() {
    const uint64_t from = at_;
    const int found = number<uint8_t>();
    if (found > 1) wrong(from, "found ", found, " for true or false, wanted 0 or 1");
    return found == 1;
  }
  Json list() {
    const auto kind = static_cast<Kind>(number<uint32_t>());
    const uint64_t from = at_, count = number<uint64_t>();
    if (count > left())  // every item takes a byte at least
      wrong(from, "found a list of ", count, " items, wanted at most the ", left(),
            " bytes that are left");
    std::vector<Json> items;
    for (uint64_t i = 0; i < count; ++i) items.push_back(value(kind, true));
    return Json::array(std::move(items));
  }

  std::string_view bytes_;
  const std::string& file_;
  uint64_t at_ = 0;
};

void check_beginning(Reader& in, std::string_view bytes) {
  if (!bytes.starts_with("GGUF")) {
    const char* other = foreign_kind(bytes.substr(0, 512));
    in.wrong(0, "found ", other ? other : "other bytes", ", wanted a GGUF file");
  }
  in.number<uint32_t>();
  const uint64_t at = in.at();
  const auto version = in.number<uint32_t>();
  if (version < kOldest || version > kNewest)
    in.wrong(at, "found version ", version, ", wanted ", kOldest, " or ", kNewest);
}

void read_values(Reader& in, uint64_t count, GgufHeader& out) {
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t from = in.at();
    std::string key = in.text(kMaxNameBytes, "a key");
    const auto kind = static_cast<Kind>(in.number<uint32_t>());
    const uint64_t at = in.at();
    if (!out.values.emplace(key, GgufValue{in.value(kind, false), at}).second)
      in.wrong(from, "found the key ", json_quote_start(key, 64), " twice");
  }
}

GgufTensor read_tensor(Reader& in, const std::string& name) {
  const std::string shown = shown_name(name);
  const uint64_t from = in.at();
  const auto axes = in.number<uint32_t>();
  if (axes > kMostAxes)
    in.wrong(from, "tensor ", shown, ": found ", axes, " axes, wanted at most ", kMostAxes);
  std::vector<int64_t> sizes;
  uint64_t count = 1;
  bool empty = false;
  for (uint32_t i = 0; i < axes; ++i) {
    const uint64_t at = in.at(), size = in.number<uint64_t>();
    empty |= size == 0;
    // Zeros count as one: products of the other sizes must not overflow either.
    const bool over = __builtin_mul_overflow(count, std::max<uint64_t>(size, 1), &count);
    if (size > INT64_MAX || over || count > INT64_MAX / 8)
      in.wrong(at, "tensor ", shown, ": found a size of ", size, ", which is too large");
    sizes.insert(sizes.begin(), static_cast<int64_t>(size));
  }
  if (empty) count = 0;
  GgufTensor out;
  const uint64_t at = in.at();
  const auto id = in.number<uint32_t>();
  out.type = find_gguf_type(id);
  if (!out.type) {
    const std::string known = gguf_type_name(id);
    in.wrong(at, "tensor ", shown, ": found type ", known.empty() ? std::to_string(id) : known,
             ", wanted one of ", gguf_type_names());
  }
  const int64_t row = sizes.empty() ? 1 : sizes.back();
  if (row % out.type->block != 0)
    in.wrong(at, "tensor ", shown, ": found rows of ", row, " in ", out.type->name,
             ", wanted a multiple of ", out.type->block);
  out.shape = Shape(sizes);
  out.bytes =
      count / static_cast<uint64_t>(out.type->block) * static_cast<uint64_t>(out.type->bytes);
  out.begin = in.number<uint64_t>();  // from where the values begin
  return out;
}

uint64_t read_alignment(const Reader& in, const GgufHeader& header) {
  const auto told = header.values.find("general.alignment");
  if (told == header.values.end()) return 32;
  const Json& v = told->second.value;
  if (!v.is_integer() || v.integer() < 1 || v.integer() > int64_t{kMostAlignment} ||
      (v.integer() & (v.integer() - 1)) != 0)
    in.wrong(told->second.at, "\"general.alignment\": found ", v.dump(),
             ", wanted a power of two up to ", kMostAlignment);
  return static_cast<uint64_t>(v.integer());
}

// Each tensor's bytes are within the file.
void place_tensors(const Reader& in, uint64_t size, uint64_t alignment, GgufTensors& tensors) {
  const uint64_t start = (in.at() + alignment - 1) / alignment * alignment;
  for (auto& [tensor, info] : tensors) {
    if (info.begin % alignment != 0 || start > size || info.begin > size - start ||
        info.bytes > size - start - info.begin)
      in.wrong(start, "tensor ", shown_name(tensor), ": found ", info.bytes, " bytes at ",
               info.begin, ", wanted them within the file of ", size, ", at a multiple of ",
               alignment);
    info.begin += start;
  }
}

}  // namespace

GgufHeader read_gguf_header(std::string_view bytes, const std::string& name) {
  Reader in(bytes, name);
  check_beginning(in, bytes);
  const uint64_t counts = in.at();
  const auto tensors = in.number<uint64_t>(), values = in.number<uint64_t>();
  if (tensors > kMaxTensorsPerFile)
    in.wrong(counts, "found ", tensors, " tensors, wanted at most ", kMaxTensorsPerFile);
  if (values > kMostValues)
    in.wrong(counts + 8, "found ", values, " values, wanted at most ", kMostValues);
  GgufHeader out;
  read_values(in, values, out);
  for (uint64_t i = 0; i < tensors; ++i) {
    const uint64_t from = in.at();
    const std::string tensor = in.text(kMaxNameBytes, "a tensor's name");
    if (!out.tensors.emplace(tensor, read_tensor(in, tensor)).second)
      in.wrong(from, "found the tensor ", shown_name(tensor), " twice");
  }
  place_tensors(in, bytes.size(), read_alignment(in, out), out.tensors);
  return out;
}

}  // namespace jogak
