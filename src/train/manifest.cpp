#include "train/manifest.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>

#include "base/file.h"
#include "base/hash/crc32c.h"
#include "base/hash/hash.h"

namespace jogak {
namespace {

std::string hex(uint32_t value) {
  char digits[9] = "00000000", found[9];
  const auto end = std::to_chars(found, found + 8, value, 16).ptr;
  std::copy(found, end, digits + 8 - (end - found));
  return digits;
}

std::string crc_of(const Tensor& x) {  // of the bytes as a file has them
  const Tensor host = to_device(dense(x), cpu_device());
  return hex(crc32c({static_cast<const char*>(host.raw()), host.bytes()}));
}

std::string crc_in(const SafetensorsFile& file, const std::string& name) {
  uint32_t crc = 0;
  file.read_bytes(name, [&](std::string_view piece) { crc = crc32c(piece, crc); });
  return hex(crc);
}

Json crcs_of(const std::string& directory, const ManifestTensors& written) {
  const SafetensorsFile file(join_path(directory, written.file));
  Json out = Json::object();
  for (const auto& [name, tensor] : written.tensors) {
    const std::string crc = crc_of(tensor);
    ensure<IoError>(crc_in(file, name) == crc, file.path(), ": tensor ", shown_name(name),
                    " reads back other than it was written");
    out.set(name, crc);
  }
  return out;
}

// Hash of the manifest without its own "sha256", in the form it is written in.
std::string own_hash(const Json& manifest) {
  Json rest = Json::object();
  for (const auto& [key, value] : manifest.members())
    if (key != "sha256") rest.set(key, value);
  return sha256_hex(rest.dump(1));
}

void check_is_file(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) fail<MissingError>(path, ": no such file");
  ensure<FormatError>(S_ISREG(info.st_mode), path, ": found ",
                      S_ISLNK(info.st_mode) ? "a symbolic link" : "something else",
                      ", wanted a regular file");
}

// A file whose hash is wrong: which tensor is it?
[[noreturn]] void blame_tensor(const std::string& path, const Json* crcs) {
  if (crcs && crcs->is_object()) {
    const SafetensorsFile file(path);  // a damaged header is refused here, with the place
    for (const auto& [name, crc] : crcs->members())
      if (!file.has(name) || Json(crc_in(file, name)) != crc)
        fail<FormatError>(path, ": tensor ", shown_name(name),
                          " is damaged: its checksum is not that of the manifest");
  }
  fail<FormatError>(path, ": damaged: its SHA-256 is not that of the manifest");
}

void check_file(const std::string& directory, const std::string& name, const Fields& entry,
                const Json* crcs) {
  const std::string path = join_path(directory, name);
  check_is_file(path);
  const int64_t bytes = entry.integer("bytes", {.low = 0});
  struct stat info {};
  ensure<IoError>(::stat(path.c_str(), &info) == 0, path, ": reading its size failed");
  ensure<FormatError>(info.st_size == bytes, path, ": found ", info.st_size,
                      " bytes, the manifest says ", bytes);
  if (sha256_file(path) != entry.text("sha256")) blame_tensor(path, crcs);
}

Json read_manifest(const std::string& path, int64_t newest_schema) {
  check_is_file(path);
  const std::string text = read_file(path);
  Json manifest = parse_json(text, path);
  const Fields fields(manifest, path);
  const int64_t schema = fields.integer("schema", {.low = 1});
  ensure<FormatError>(schema <= newest_schema, path, ": found schema ", schema,
                      ", this version reads up to ", newest_schema);
  ensure<FormatError>(text == manifest.dump(1) && fields.text("sha256") == own_hash(manifest), path,
                      ": damaged: its content is not what its own SHA-256 says");
  return manifest;
}

}  // namespace

void write_manifest(const std::string& directory, Json manifest,
                    const std::vector<ManifestTensors>& tensor_files) {
  Json files = Json::object(), tensors = Json::object();
  for (const ManifestTensors& written : tensor_files)
    tensors.set(written.file, crcs_of(directory, written));
  for (const std::string& name : list_directory(directory)) {
    const std::string path = join_path(directory, name);
    struct stat info {};
    ensure<IoError>(::stat(path.c_str(), &info) == 0, path, ": reading its size failed");
    files.set(name, Json::object({{"bytes", static_cast<int64_t>(info.st_size)},
                                  {"sha256", sha256_file(path)}}));
  }
  manifest.set("files", std::move(files)).set("tensors", std::move(tensors));
  manifest.set("sha256", own_hash(manifest));
  write_file(join_path(directory, kManifestFile), manifest.dump(1));
}

Json verified_manifest(const std::string& directory, int64_t newest_schema) {
  const std::string path = join_path(directory, kManifestFile);
  Json manifest = read_manifest(path, newest_schema);
  const Fields fields(manifest, path);
  const Fields files = fields.object("files"), tensors = fields.object("tensors");
  for (const std::string& name : list_directory(directory))
    ensure<FormatError>(name == kManifestFile || files.json().find(name),
                        join_path(directory, name), ": a file that the manifest does not list");
  for (const auto& [name, entry] : files.json().members()) {
    ensure<FormatError>(name.find('/') == std::string::npos && name != "." && name != "..", path,
                        ": byte ", entry.offset(), ": found a file called ", json_quote(name));
    check_file(directory, name, Fields(entry, path), tensors.json().find(name));
  }
  return manifest;
}

}  // namespace jogak
