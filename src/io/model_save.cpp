// Saving the weights of a model directory: one file, or shards and their index.
//
// A reader must never see half of an old model and half of a new one. What names the weights (the
// single file, or the index) is replaced in one step, after every shard it names is on disk under
// a name that was not in use; what nobody names any more goes last.
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/json.h"
#include "io/shard_index.h"
#include "io/tensor_source.h"

namespace jogak {
namespace {

std::vector<TensorSources> split_into_shards(const TensorSources& tensors, uint64_t most) {
  std::vector<TensorSources> shards(1);
  uint64_t bytes = 0;
  for (const TensorSource& entry : tensors) {
    const uint64_t size = entry.bytes();
    if (!shards.back().empty() && bytes + size > most) {
      shards.emplace_back();
      bytes = 0;
    }
    shards.back().push_back(entry);
    bytes += size;
  }
  return shards;
}

std::string padded(size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(5 - std::min<size_t>(5, digits.size()), '0') + digits;
}

// "model-00001-of-00003.safetensors" as everybody calls them; where an earlier model still uses
// those names, "model-v2-00001-of-00003.safetensors".
std::string shard_prefix(const std::string& directory, size_t count) {
  for (int version = 1;; ++version) {
    const std::string prefix = version == 1 ? "model-" : "model-v" + std::to_string(version) + "-";
    bool free = true;
    for (size_t i = 1; i <= count && free; ++i)
      free = !file_exists(
          join_path(directory, prefix + padded(i) + "-of-" + padded(count) + ".safetensors"));
    if (free) return prefix;
  }
}

// The shards of a model that lies there already.
std::vector<std::string> earlier_shards(const std::string& index) {
  std::vector<std::string> names;
  if (!file_exists(index)) return names;
  for (const auto& [name, offset] : read_shard_index(index).shards) names.push_back(name);
  return names;
}

void remove_files(const std::string& directory, const std::vector<std::string>& names) {
  for (const std::string& name : names) std::filesystem::remove(join_path(directory, name));
  sync_directory(directory);
}

void save_shards(const std::string& directory, const std::vector<TensorSources>& shards,
                 const Metadata& metadata, const WroteTensor& wrote) {
  ensure<Error>(shards.size() <= kMaxShards, directory, ": ", shards.size(),
                " shards, wanted at most ", kMaxShards, ": raise the size of a shard");
  const std::string prefix = shard_prefix(directory, shards.size());
  Json map = Json::object();
  std::map<std::string, std::string> place;
  uint64_t total = 0;
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string name =
        prefix + padded(i + 1) + "-of-" + padded(shards.size()) + ".safetensors";
    save_safetensors(join_path(directory, name), shards[i], metadata, wrote);
    for (const TensorSource& tensor : shards[i]) {
      ensure<Error>(place.emplace(tensor.name, name).second, directory, ": two tensors called ",
                    shown_name(tensor.name));
      total += tensor.bytes();
    }
  }
  for (const auto& [tensor, file] : place) map.set(tensor, file);
  Json index = Json::object(), about = Json::object();
  about.set("total_size", static_cast<int64_t>(total));
  index.set("metadata", about).set("weight_map", map);
  write_file(join_path(directory, kModelIndexFile), index.dump(2) + "\n");
}

}  // namespace

void save_model_files(const std::string& directory, const NamedTensors& tensors,
                      const Metadata& metadata, uint64_t max_shard_bytes) {
  save_model_files(directory, sources_of(tensors), metadata, max_shard_bytes);
}

void save_model_files(const std::string& directory, const TensorSources& tensors,
                      const Metadata& metadata, uint64_t max_shard_bytes,
                      const WroteTensor& wrote) {
  ensure<UsageError>(max_shard_bytes > 0, "shards of 0 bytes, wanted at least 1");
  make_directories(directory);
  const std::string index = join_path(directory, kModelIndexFile);
  std::vector<std::string> old = earlier_shards(index);
  const auto shards = split_into_shards(tensors, max_shard_bytes);
  if (shards.size() > 1) {
    save_shards(directory, shards, metadata, wrote);
    old.push_back(kModelFile);
  } else {
    save_safetensors(join_path(directory, kModelFile), tensors, metadata, wrote);
    old.insert(old.begin(), kModelIndexFile);
  }
  remove_files(directory, old);
}

}  // namespace jogak
