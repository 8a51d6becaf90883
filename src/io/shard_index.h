// model.safetensors.index.json: which tensor lies in which shard.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace jogak {

struct ShardIndex {
  struct Entry {
    std::string shard;  // a name within the model directory
    size_t offset = 0;  // where the index says so
  };
  std::map<std::string, Entry, std::less<>> tensors;
  std::map<std::string, size_t> shards;  // each with the place that names it first
  std::optional<int64_t> total_bytes;    // as claimed
};

inline constexpr size_t kMaxShards = 4096;

// Reads and checks the index itself, and that every shard name stays inside the directory it lies
// in, also when followed through links. Whether shards exist is left to opening them.
ShardIndex read_shard_index(const std::string& path);

}  // namespace jogak
