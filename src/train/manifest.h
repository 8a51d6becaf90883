// The list that seals a checkpoint: every file with size and SHA-256, every tensor with a CRC, and
// a hash of the list itself. It is written last.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "io/safetensors.h"

namespace jogak {

inline constexpr char kManifestFile[] = "manifest.json";

struct ManifestTensors {  // a safetensors file of the checkpoint, and what was to be written there
  std::string file;
  NamedTensors tensors;
};

// Reads back what lies in the directory, compares every tensor with the one in memory (IoError
// when they differ) and writes the manifest: `head` and the list.
void write_manifest(const std::string& directory, Json head,
                    const std::vector<ManifestTensors>& files);

// The manifest of a directory that holds exactly what it lists, bit for bit; FormatError names the
// file and, where it can, the tensor. `newest_schema` bounds its "schema".
Json verified_manifest(const std::string& directory, int64_t newest_schema);

}  // namespace jogak
