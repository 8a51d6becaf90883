// A GGUF file, as llama.cpp writes them: values by key, then tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "io/gguf_header.h"
#include "tensor/tensor.h"

namespace jogak {

// Opening checks everything but the values of tensors: whoever holds one may trust every range.
// Errors are FormatErrors "FILE: byte N: found, wanted".
class GgufFile {
 public:
  explicit GgufFile(const std::string& path);

  const std::string& path() const { return file_->path(); }
  const GgufTensors& tensors() const { return header_.tensors; }
  bool has(std::string_view key) const { return header_.values.contains(key); }

  // Values by key; each getter names the key, what was found and what was wanted.
  int64_t integer(std::string_view key, Fields::Range range) const;
  int64_t integer_or(std::string_view key, int64_t otherwise, Fields::Range range) const;
  double number_or(std::string_view key, double otherwise) const;  // always finite
  bool flag_or(std::string_view key, bool otherwise) const;
  const std::string& text(std::string_view key) const;
  std::string text_or(std::string_view key, std::string otherwise) const;
  const std::vector<Json>& list(std::string_view key, Json::Kind items) const;
  [[noreturn]] void wrong(std::string_view key, std::string_view wanted) const;

  Tensor read(std::string_view name) const;  // values of its own, in the type of dtype()

 private:
  const GgufValue& at(std::string_view key) const;

  std::shared_ptr<const MappedFile> file_;
  GgufHeader header_;
};

}  // namespace jogak
