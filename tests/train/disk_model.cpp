#include "tests/train/disk_model.h"

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/hash/hash.h"

namespace jogak::test {

std::string DiskImage::key() const {
  Sha256 hash;
  for (const auto& [path, bytes] : files)
    hash.update(text_of(path, '\0', bytes.size(), '\0', bytes));
  for (const std::string& path : directories) hash.update(text_of("directory ", path, '\0'));
  return hash.hex();
}

void DiskImage::write(const std::string& root) const {
  std::filesystem::create_directories(root);
  for (const std::string& path : directories) std::filesystem::create_directories(root + path);
  for (const auto& [path, bytes] : files)
    std::ofstream(root + path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

DiskModel::DiskModel(const std::string& content, const std::string& root) : root_(root) {
  load(content);
}

int DiskModel::load(const std::string& path) {
  const auto number = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  Node node;
  node.directory = is_directory(path);
  if (node.directory) {
    for (const std::string& name : list_directory(path))
      node.names[name] = load(join_path(path, name));
    node.lasting_names = node.names;
  } else {
    node.bytes = read_file(path);
    node.lasting = node.bytes.size();
  }
  nodes_[static_cast<size_t>(number)] = std::move(node);
  return number;
}

int DiskModel::find(const std::string& path) const {
  if (path == root_) return 0;
  const Place at = place(path);
  if (at.directory < 0) return -1;
  const auto& names = nodes_[static_cast<size_t>(at.directory)].names;
  const auto found = names.find(at.name);
  return found == names.end() ? -1 : found->second;
}

DiskModel::Place DiskModel::place(const std::string& path) const {
  if (!path.starts_with(root_ + "/")) return {};
  const size_t slash = path.rfind('/');
  return {find(path.substr(0, slash)), path.substr(slash + 1)};
}

void DiskModel::apply_to(std::map<std::string, int>& names, const Change& change) {
  for (const auto& [name, node] : change) {
    if (node < 0)
      names.erase(name);
    else
      names[name] = node;
  }
}

void DiskModel::change(int directory, const Change& change) {
  Node& changed = nodes_[static_cast<size_t>(directory)];
  apply_to(changed.names, change);
  changed.changes.push_back(change);
}

void DiskModel::apply(const DiskCall& call) {
  const int node = find(call.path);
  const Place at = place(call.path);
  if (node < 0 && at.directory < 0) return;
  switch (call.kind) {
    case DiskCall::create:
    case DiskCall::make_directory:
      if (node >= 0) return;  // opened, it was there
      nodes_.emplace_back().directory = call.kind == DiskCall::make_directory;
      change(at.directory, {{at.name, static_cast<int>(nodes_.size()) - 1}});
      return;
    case DiskCall::write: nodes_[static_cast<size_t>(node)].bytes += call.bytes; return;
    case DiskCall::sync: {
      Node& synced = nodes_[static_cast<size_t>(node)];
      synced.lasting = synced.bytes.size();
      synced.lasting_names = synced.names;
      synced.changes.clear();
      return;
    }
    case DiskCall::rename:
    case DiskCall::exchange: {
      const Place to = place(call.to);
      ensure<Error>(to.directory == at.directory, "disk model: renamed to another directory");
      const int back = call.kind == DiskCall::exchange ? find(call.to) : -1;
      return change(at.directory, {{at.name, back}, {to.name, node}});
    }
    case DiskCall::remove: return change(at.directory, {{at.name, -1}});
  }
}

void DiskModel::collect(const std::string& path, int number, int variant, Rng& rng,
                        DiskImage& image) const {
  const Node& node = nodes_[static_cast<size_t>(number)];
  if (!node.directory) {
    std::string bytes = node.bytes;
    if (variant < 2) bytes.resize(node.lasting);
    if (variant == 3 && node.lasting < bytes.size()) {
      const size_t blocks = (bytes.size() - node.lasting) / 512 + 2;  // none of them to all
      const size_t kept = std::min(bytes.size(), node.lasting + 512 * rng.below(blocks));
      const size_t size = bytes.size();
      bytes.resize(kept);
      if (rng.below(2) == 0) bytes.resize(size, '\0');  // the size was noted, the rest was not
    }
    image.files[path] = bytes;
    return;
  }
  if (!path.empty()) image.directories.push_back(path);
  std::map<std::string, int> names = variant == 0 ? node.lasting_names : node.names;
  if (variant == 3) {
    names = node.lasting_names;
    for (const Change& change : node.changes)
      if (rng.below(2) == 0) apply_to(names, change);
  }
  for (const auto& [name, child] : names) collect(path + "/" + name, child, variant, rng, image);
}

DiskImage DiskModel::after_power_cut(int variant, Rng& rng) const {
  DiskImage image;
  collect("", 0, variant, rng, image);
  return image;
}

}  // namespace jogak::test
