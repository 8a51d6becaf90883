#include "io/model_files.h"

#include "base/log.h"
#include "base/suggest.h"
#include "io/shard_index.h"

namespace jogak {
namespace {

void refuse_without_weights(const std::string& directory) {
  ensure<MissingError>(is_directory(directory), directory, ": no such directory");
  const bool pickled = file_exists(join_path(directory, "pytorch_model.bin"));
  fail<MissingError>(directory, ": found neither ", kModelFile, " nor ", kModelIndexFile,
                     pickled ? "; there is a pytorch_model.bin, but pickle is not read: save the "
                               "model as safetensors"
                             : "");
}

}  // namespace

ModelFiles::ModelFiles(const std::string& directory) : directory_(directory) {
  const std::string single = join_path(directory, kModelFile);
  const std::string index = join_path(directory, kModelIndexFile);
  const bool has_single = file_exists(single), has_index = file_exists(index);
  if (!has_single && !has_index) refuse_without_weights(directory);
  ensure<FormatError>(!has_single || !has_index, directory, ": found both ", kModelFile, " and ",
                      kModelIndexFile, ", wanted one of them");
  if (has_single)
    add_file(SafetensorsFile(single));
  else
    open_shards(index);
}

void ModelFiles::add_file(SafetensorsFile file) {
  for (const std::string& name : file.names()) {
    const auto [at, fresh] = tensors_.emplace(name, files_.size());
    if (!fresh)
      fail<FormatError>(file.path(), ": byte ", file.info(name).begin, ": tensor ",
                        shown_name(name), " is in two shards, also in ", files_[at->second].path());
  }
  files_.push_back(std::move(file));
}

void ModelFiles::open_shards(const std::string& index_path) {
  const ShardIndex index = read_shard_index(index_path);
  for (const auto& [shard, offset] : index.shards) {
    const std::string path = join_path(directory_, shard);
    ensure<MissingError>(file_exists(path), path, ": no such file; ", index_path, ": byte ", offset,
                         " names this shard");
    add_file(SafetensorsFile(path));
  }
  for (const auto& [name, entry] : index.tensors) {
    const std::string listed = join_path(directory_, entry.shard);
    ensure<FormatError>(has(name) && file_of(name) == listed, index_path, ": byte ", entry.offset,
                        ": tensor ", shown_name(name), " is listed in ", listed, " and not there",
                        has(name) ? ", but in " : "", has(name) ? file_of(name) : "");
  }
  for (const auto& [name, file] : tensors_)
    ensure<FormatError>(index.tensors.contains(name), files_[file].path(), ": byte ",
                        files_[file].info(name).begin, ": tensor ", shown_name(name),
                        " is not listed in ", index_path);
  const auto total = static_cast<int64_t>(bytes());
  if (index.total_bytes && *index.total_bytes != total)
    log_warning(index_path, ": total_size is ", *index.total_bytes, ", the tensors have ", total,
                " bytes");
}

std::vector<std::string> ModelFiles::names() const {
  std::vector<std::string> out;
  out.reserve(tensors_.size());
  for (const auto& [name, file] : tensors_) out.push_back(name);
  return out;
}

uint64_t ModelFiles::bytes() const {
  uint64_t sum = 0;
  for (const auto& [name, file] : tensors_) sum += files_[file].info(name).bytes();
  return sum;
}

const SafetensorsFile& ModelFiles::file_with(std::string_view name) const {
  const auto at = tensors_.find(name);
  if (at != tensors_.end()) return files_[at->second];
  if (files_.size() == 1) files_[0].info(name);  // its error names the file
  fail<MissingError>(directory_, ": no tensor ", shown_name(name), " in any shard",
                     did_you_mean(name, names()));
}

}  // namespace jogak
