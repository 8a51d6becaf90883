#include "io/shard_index.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "io/safetensors_header.h"

namespace jogak {
namespace {

namespace fs = std::filesystem;

bool is_inside(const fs::path& path, const fs::path& directory) {
  const auto end =
      std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first;
  return end == directory.end();
}

// Hugging Face's cache keeps REPO/snapshots/REVISION/name as a link to ../../blobs/HASH.
bool is_hub_blob(const fs::path& target, const fs::path& directory) {
  const fs::path snapshots = directory.parent_path();
  return snapshots.filename() == "snapshots" &&
         is_inside(target, snapshots.parent_path() / "blobs");
}

std::string fault_of(const std::string& shard, const std::string& index_path) {
  if (shard.empty()) return "an empty shard name";
  if (shard.find('\0') != std::string::npos || shard.find('\\') != std::string::npos)
    return "shard name " + shown_name(shard) + " contains a NUL or a backslash";
  const fs::path name(shard), index(index_path);
  if (name.is_absolute())
    return "shard name " + shown_name(shard) +
           " is absolute: the shard path leaves the model directory";
  if (std::find(name.begin(), name.end(), "..") != name.end())
    return "shard name " + shown_name(shard) + ": the shard path leaves the model directory";
  if (name.lexically_normal() == index.filename()) return "the index names itself as a shard";
  const fs::path parent = index.has_parent_path() ? index.parent_path() : fs::path(".");
  std::error_code error;
  const fs::path directory = fs::canonical(parent, error);
  if (error) return "";  // what cannot be followed cannot be opened either
  const fs::path target = fs::canonical(parent / name, error);
  if (error || is_inside(target, directory) || is_hub_blob(target, directory)) return "";
  return "shard " + shown_name(shard) + " is a link, and the shard path leaves the model directory";
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Two names that are one on some file systems would be read as two files here and one there.
void refuse_case_twins(const std::string& path, const ShardIndex& index) {
  std::map<std::string, std::string> seen;
  for (const auto& [shard, offset] : index.shards) {
    const auto [twin, fresh] = seen.emplace(lower_case(shard), shard);
    ensure<FormatError>(fresh, path, ": byte ", offset, ": shards ", shown_name(twin->second),
                        " and ", shown_name(shard), " differ in case only");
  }
}

}  // namespace

ShardIndex read_shard_index(const std::string& path) {
  const Json json = read_json_file(path);
  const Fields fields(json, path);
  const Fields map = fields.object("weight_map");
  ShardIndex index;
  for (const auto& [name, value] : map.json().members()) {
    const auto refuse = [&path, at = value.offset()](const std::string& fault) {
      fail<FormatError>(path, ": byte ", at, ": ", fault);
    };
    if (const std::string fault = tensor_name_fault(name); !fault.empty()) refuse(fault);
    if (!value.is_string())
      refuse(text_of("tensor ", shown_name(name), ": found ", value.kind_name(),
                     ", wanted the name of a shard"));
    if (index.shards.emplace(value.text(), value.offset()).second) {
      if (index.shards.size() > kMaxShards)
        refuse(text_of("too many shards, wanted at most ", kMaxShards));
      if (const std::string fault = fault_of(value.text(), path); !fault.empty()) refuse(fault);
    }
    index.tensors.emplace(name, ShardIndex::Entry{value.text(), value.offset()});
  }
  refuse_case_twins(path, index);
  if (!fields.has("metadata")) return index;
  const Json* total = fields.object("metadata").json().find("total_size");
  if (total && total->is_integer()) index.total_bytes = total->integer();
  return index;
}

}  // namespace jogak
