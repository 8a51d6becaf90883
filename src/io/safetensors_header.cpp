#include "io/safetensors_header.h"

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "io/foreign_file.h"

namespace jogak {
namespace {

constexpr size_t kMaxValues = 16 * kMaxTensorsPerFile;  // numbers and strings of a whole header

class HeaderReader {
 public:
  HeaderReader(const std::string& file, uint64_t file_bytes, const ReadBytes& read)
      : file_(file), file_bytes_(file_bytes), read_(read) {}

  SafetensorsHeader header() {
    const std::string text = header_text();
    data_begin_ = text.size();
    check_size(text);
    const Json json = parse_json(text, file_);
    if (!json.is_object())
      wrong(json.offset(), text_of("found ", json.kind_name(), ", the header must be an object"));
    SafetensorsHeader out;
    for (const auto& [name, value] : json.members()) {
      if (name == kMetadataKey)
        out.metadata = metadata(value);
      else
        out.tensors.emplace(name, tensor(name, value));
    }
    check_tiling(out, json);
    return out;
  }

 private:
  [[noreturn]] void wrong(uint64_t at, const std::string& reason) const {
    fail<FormatError>(file_, ": byte ", at, ": ", reason);
  }

  [[noreturn]] void wrong_in(const std::string& name, const Json& value,
                             const std::string& reason) const {
    wrong(value.offset(), text_of("tensor ", shown_name(name), ": ", reason));
  }

  // The first bytes as text, the 8 of the length replaced by spaces: positions in it are positions
  // in the file. A copy, because another program may write to a mapped file while we parse.
  std::string header_text() const {
    if (file_bytes_ < 8)
      wrong(0, text_of("found ", file_bytes_, " bytes, need 8 for the header's length"));
    std::byte first[64] = {};
    const auto sniffed = static_cast<size_t>(std::min<uint64_t>(sizeof first, file_bytes_));
    read_(0, std::span(first, sniffed));
    uint64_t length = 0;
    for (int i = 7; i >= 0; --i) length = length << 8 | std::to_integer<uint64_t>(first[i]);
    const std::string_view seen(reinterpret_cast<const char*>(first), sniffed);
    if (length == 0) wrong(0, "found an empty header, wanted at least {}");
    if (length > kMaxHeaderBytes) {
      refuse_foreign(seen);
      wrong(0, text_of("found header length ", length, ", header length over ", kMaxHeaderBytes));
    }
    if (length > file_bytes_ - 8) {
      refuse_foreign(seen);
      wrong(0, text_of("header ends past end of file: found length ", length, ", the file has ",
                       file_bytes_ - 8, " bytes after it"));
    }
    std::string text(static_cast<size_t>(length) + 8, ' ');
    read_(8, std::as_writable_bytes(std::span(text).subspan(8)));
    const size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string::npos || text[start] != '{') refuse_foreign(seen);
    return text;
  }

  // Some of these files give, read as a header length, a number that is not too large.
  void refuse_foreign(std::string_view first_bytes) const {
    if (const char* kind = foreign_kind(first_bytes)) wrong(0, text_of("found ", kind));
  }

  // A cheap look before anything is built: parsed JSON takes many times the room of its text.
  void check_size(std::string_view text) const {
    size_t objects = 0, values = 0;
    bool in_string = false;
    for (size_t i = 8; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '"') in_string = !in_string;
      if (in_string && c == '\\') ++i;
      if (in_string) continue;
      objects += c == '{';
      values += c == ',' || c == '[' || c == '{';
      if (objects > kMaxTensorsPerFile + 2)
        wrong(i, text_of("too many tensors, wanted at most ", kMaxTensorsPerFile));
      if (values > kMaxValues) wrong(i, text_of("the header has over ", kMaxValues, " values"));
    }
  }

  Metadata metadata(const Json& value) const {
    if (!value.is_object())
      wrong(value.offset(), text_of("\"__metadata__\": found ", value.kind_name(),
                                    ", wanted an object of strings"));
    Metadata out;
    for (const auto& [key, item] : value.members()) {
      if (!item.is_string())
        wrong(item.offset(), text_of("\"__metadata__\", ", json_quote(key), ": found ",
                                     item.kind_name(), ", wanted a string"));
      out.emplace(key, item.text());
    }
    return out;
  }

  TensorInfo tensor(const std::string& name, const Json& value) const {
    const std::string fault = tensor_name_fault(name);
    if (!fault.empty()) wrong(value.offset(), fault);
    if (!value.is_object())
      wrong_in(name, value, text_of("found ", value.kind_name(), ", wanted an object"));
    for (const auto& [key, item] : value.members())
      if (key != "dtype" && key != "shape" && key != "data_offsets")
        wrong_in(name, item, "unknown field " + json_quote(key));
    TensorInfo info;
    info.type = dtype(name, field(name, value, "dtype"));
    info.shape = shape(name, field(name, value, "shape"));
    read_offsets(name, field(name, value, "data_offsets"), info);
    check_bytes(name, *value.find("shape"), info);
    return info;
  }

  const Json& field(const std::string& name, const Json& value, const char* key) const {
    const Json* found = value.find(key);
    if (!found) wrong_in(name, value, text_of("key \"", key, "\" is missing"));
    return *found;
  }

  const FileDType* dtype(const std::string& name, const Json& value) const {
    if (!value.is_string())
      wrong_in(name, value, text_of("\"dtype\": found ", value.kind_name(), ", wanted a string"));
    const FileDType* type = find_file_dtype(value.text());
    if (!type) wrong_in(name, value, "unknown dtype " + json_quote(value.text().substr(0, 40)));
    return type;
  }

  // A JSON integer that is not negative; 1.5, 1e3 and 2^64 are numbers of another kind.
  int64_t size_at(const std::string& name, const Json& value, const char* what) const {
    if (!value.is_integer() || value.integer() < 0)
      wrong_in(name, value,
               text_of(what, ": found ", value.is_number() ? value.dump() : value.kind_name(),
                       ", wanted an integer from 0 to ", INT64_MAX));
    return value.integer();
  }

  Shape shape(const std::string& name, const Json& value) const {
    if (!value.is_array())
      wrong_in(name, value, text_of("\"shape\": found ", value.kind_name(), ", wanted an array"));
    if (value.items().size() > Shape::kMaxRank)
      wrong_in(name, value,
               text_of("found rank ", value.items().size(), ", rank over ", Shape::kMaxRank));
    std::vector<int64_t> sizes;
    for (const Json& item : value.items()) sizes.push_back(size_at(name, item, "\"shape\""));
    return Shape(sizes);
  }

  void read_offsets(const std::string& name, const Json& value, TensorInfo& info) const {
    if (!value.is_array() || value.items().size() != 2)
      wrong_in(name, value,
               text_of("\"data_offsets\": found ",
                       value.is_array() ? text_of(value.items().size(), " numbers")
                                        : std::string(value.kind_name()),
                       ", wanted two"));
    const auto begin = static_cast<uint64_t>(size_at(name, value.items()[0], "\"data_offsets\""));
    const auto end = static_cast<uint64_t>(size_at(name, value.items()[1], "\"data_offsets\""));
    if (begin > end)
      wrong_in(name, value, text_of("data begins at ", begin, " and ends before, at ", end));
    if (end > file_bytes_ - data_begin_)
      wrong_in(name, value,
               text_of("data ends at ", end, ", past the ", file_bytes_ - data_begin_,
                       " bytes of data in the file"));
    info.begin = data_begin_ + begin;
    info.end = data_begin_ + end;
  }

  // Zeros count as one: strides are products of sizes too, and must not overflow either.
  void check_bytes(const std::string& name, const Json& value, const TensorInfo& info) const {
    int64_t product = info.type->bits;
    bool empty = false;
    for (const int64_t size : info.shape) {
      empty |= size == 0;
      if (__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product))
        wrong_in(name, value, text_of("shape ", info.shape, " has too many bytes"));
    }
    const auto bits = static_cast<uint64_t>(empty ? 0 : product);
    if (bits % 8 != 0)
      wrong_in(name, value,
               text_of("shape ", info.shape, " of ", info.type->name, " is ", bits,
                       " bits, not a whole number of bytes"));
    if (bits / 8 != info.bytes())
      wrong_in(name, value,
               text_of("shape ", info.shape, " of ", info.type->name, " needs ", bits / 8,
                       " bytes, data_offsets give ", info.bytes()));
  }

  // Sorted by place, the tensors must cover the data exactly: no hole, no overlap, nothing after.
  void check_tiling(const SafetensorsHeader& header, const Json& json) const {
    using Entry = std::pair<const std::string, TensorInfo>;
    std::vector<const Entry*> order;
    for (const Entry& entry : header.tensors) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
      return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
    });
    uint64_t covered = data_begin_;
    for (const Entry* entry : order) {
      const TensorInfo& info = entry->second;
      if (info.begin != covered)
        wrong_in(entry->first, *json.find(entry->first)->find("data_offsets"),
                 text_of("data begins at ", info.begin - data_begin_, ", the data before ends at ",
                         covered - data_begin_,
                         info.begin < covered ? ": tensors overlap" : ": a hole"));
      covered = info.end;
    }
    if (covered != file_bytes_)
      wrong(covered, text_of(file_bytes_ - covered, " bytes after the last tensor, wanted none"));
  }

  const std::string& file_;
  const uint64_t file_bytes_;
  const ReadBytes& read_;
  uint64_t data_begin_ = 0;
};

}  // namespace

SafetensorsHeader read_safetensors_header(const std::string& file, uint64_t file_bytes,
                                          const ReadBytes& read) {
  return HeaderReader(file, file_bytes, read).header();
}

std::string shown_name(std::string_view name) { return json_quote_start(name, 120); }

std::string tensor_name_fault(std::string_view name) {
  if (name.empty()) return "a tensor with an empty name";
  if (name.size() > kMaxNameBytes)
    return text_of("a tensor name of ", name.size(), " bytes, wanted at most ", kMaxNameBytes);
  if (name.find('\0') != std::string_view::npos)
    return "tensor name " + shown_name(name) + " contains a NUL";
  return "";
}

}  // namespace jogak
