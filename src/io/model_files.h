// The weights of a model directory, in one file or in shards: one interface for both.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/safetensors.h"

namespace jogak {

inline constexpr char kModelFile[] = "model.safetensors";
inline constexpr char kModelIndexFile[] = "model.safetensors.index.json";

class ModelFiles {
 public:
  // Opens and checks every file. With an index, it and the shards must agree on every tensor.
  explicit ModelFiles(const std::string& directory);

  const std::string& directory() const { return directory_; }
  std::vector<std::string> names() const;  // sorted
  bool has(std::string_view name) const { return tensors_.contains(name); }
  const TensorInfo& info(std::string_view name) const { return file_with(name).info(name); }
  Tensor get(std::string_view name) const { return file_with(name).get(name); }    // borrows
  Tensor read(std::string_view name) const { return file_with(name).read(name); }  // copies
  const std::string& file_of(std::string_view name) const { return file_with(name).path(); }

  const std::vector<SafetensorsFile>& files() const { return files_; }
  uint64_t bytes() const;  // of all values

 private:
  const SafetensorsFile& file_with(std::string_view name) const;
  void open_shards(const std::string& index_path);
  void add_file(SafetensorsFile file);

  std::string directory_;
  std::vector<SafetensorsFile> files_;
  std::map<std::string, size_t, std::less<>> tensors_;  // which of files_
};

inline constexpr uint64_t kMaxShardBytes = 5'000'000'000;

// Writes the weights of a model directory, in place of those that lie there: in one file, or in
// shards of at most `max_shard_bytes` (a larger tensor has one of its own) and their index.
void save_model_files(const std::string& directory, const NamedTensors& tensors,
                      const Metadata& metadata = {{"format", "pt"}},
                      uint64_t max_shard_bytes = kMaxShardBytes);

}  // namespace jogak
