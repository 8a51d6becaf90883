// Named tensors on disk, in Hugging Face's safetensors format.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "io/safetensors_header.h"
#include "tensor/tensor.h"

namespace jogak {

// A file mapped for reading. Opening it checks the whole header and reads no values.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const { return file_->path(); }
  std::vector<std::string> names() const;  // sorted
  size_t size() const { return header_.tensors.size(); }
  bool has(std::string_view name) const { return header_.tensors.contains(name); }
  const TensorInfo& info(std::string_view name) const;  // MissingError with the nearest name
  const Metadata& metadata() const { return header_.metadata; }

  // Values inside the mapped file, which lives as long as they do: not to be written to. They are
  // copied only when they lie badly aligned in the file.
  Tensor get(std::string_view name) const;
  // Values of its own, read with read(2): safe even if the file is cut short meanwhile.
  Tensor read(std::string_view name) const;
  // The bytes alone, piece by piece: whatever their size, little memory is taken.
  void read_bytes(std::string_view name, const Sink& take) const;

 private:
  std::shared_ptr<const MappedFile> file_;
  SafetensorsHeader header_;
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// Replaces `path` atomically. The bytes depend on names, values and metadata alone: not on the
// order given, nor on strides or device. Hugging Face's readers want metadata {"format": "pt"}.
void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata = {});

}  // namespace jogak
