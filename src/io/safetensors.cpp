#include "io/safetensors.h"

#include <bit>

#include "base/json.h"
#include "base/suggest.h"

namespace jogak {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

// C++ knows only two values of bool; any other byte in the file would be undefined behaviour.
void check_bools(const SafetensorsFile& file, const TensorInfo& info, const std::byte* data) {
  if (info.type->dtype != DType::boolean) return;
  for (uint64_t i = 0; i < info.bytes(); ++i)
    ensure<FormatError>(data[i] <= std::byte{1}, file.path(), ": byte ", info.begin + i, ": found ",
                        std::to_integer<int>(data[i]), " in a BOOL tensor, wanted 0 or 1");
}

DType loadable(const SafetensorsFile& file, std::string_view name, const TensorInfo& info) {
  ensure<FormatError>(info.type->dtype.has_value(), file.path(), ": byte ", info.begin, ": tensor ",
                      shown_name(name), " has unsupported dtype ", info.type->name,
                      ", wanted F32, F64, BF16, F16, I32, I64, I8, U8 or BOOL");
  return *info.type->dtype;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::string& path)
    : file_(std::make_shared<MappedFile>(path)),
      header_(read_safetensors_header(
          path, file_->size(),
          [&](uint64_t begin, std::span<std::byte> to) { file_->read(begin, to); })) {}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> out;
  out.reserve(size());
  for (const auto& [name, info] : header_.tensors) out.push_back(name);
  return out;
}

const TensorInfo& SafetensorsFile::info(std::string_view name) const {
  const auto at = header_.tensors.find(name);
  if (at != header_.tensors.end()) return at->second;
  constexpr size_t kFew = 10'000;  // comparing with every name of a huge file takes too long
  fail<MissingError>(path(), ": no tensor ", shown_name(name),
                     size() > kFew ? "" : did_you_mean(name, names()));
}

Tensor SafetensorsFile::get(std::string_view name) const {
  const TensorInfo& found = info(name);
  const DType dtype = loadable(*this, name, found);
  const std::byte* data = file_->data() + found.begin;
  if (reinterpret_cast<uintptr_t>(data) % size_of(dtype) != 0) return read(name);
  file_->ensure_unchanged();
  check_bools(*this, found, data);
  auto storage = std::make_shared<Storage>(cpu_device(), found.bytes(), data, file_);
  return Tensor(std::move(storage), found.shape, row_major(found.shape), 0, dtype);
}

Tensor SafetensorsFile::read(std::string_view name) const {
  const TensorInfo& found = info(name);
  Tensor out = empty(found.shape, loadable(*this, name, found));
  file_->ensure_unchanged();
  file_->read(found.begin, std::span(out.storage()->data(), found.bytes()));
  check_bools(*this, found, out.storage()->data());
  return out;
}

void SafetensorsFile::read_bytes(std::string_view name, const Sink& take) const {
  const TensorInfo& found = info(name);
  file_->ensure_unchanged();
  std::string piece(std::min(found.bytes(), size_t{1} << 20), '\0');
  for (size_t done = 0; done < found.bytes(); done += piece.size()) {
    piece.resize(std::min(piece.size(), found.bytes() - done));
    file_->read(found.begin + done, std::as_writable_bytes(std::span(piece)));
    take(piece);
  }
}

}  // namespace jogak
