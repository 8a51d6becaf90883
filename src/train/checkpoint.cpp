#include "train/checkpoint.h"

#include <filesystem>

#include "base/file.h"
#include "train/manifest.h"

namespace jogak {
namespace {

constexpr int64_t kManifestSchema = 1;
constexpr char kWeights[] = "weights.safetensors", kOptimizer[] = "optimizer.safetensors",
               kState[] = "state.json";

void check_weight(const SafetensorsFile& file, const Param& p) {
  ensure<FormatError>(file.has(p.name), file.path(), ": no tensor ", shown_name(p.name),
                      ": these are the weights of another model");
  const TensorInfo& info = file.info(p.name);
  const DType dtype = p.value.dtype();
  ensure<FormatError>(info.shape == p.value.shape() && info.type->dtype == dtype, file.path(),
                      ": tensor ", shown_name(p.name), ": found ", info.type->name, " ", info.shape,
                      ", wanted ", file_dtype_of(dtype).name, " ", p.value.shape());
}

}  // namespace

void write_checkpoint(const std::string& directory, const ParamStore& params,
                      const NamedTensors& moments, const TrainState& state) {
  NamedTensors weights;
  for (const Param& p : params.all())
    if (!p.frozen) weights.emplace_back(p.name, p.value.detach());
  save_safetensors(join_path(directory, kWeights), weights);
  save_safetensors(join_path(directory, kOptimizer), moments);
  write_file(join_path(directory, kState), to_json(state).dump(1));
  const Json head = Json::object({{"schema", kManifestSchema},
                                  {"step", state.step},
                                  {"world", state.processes},
                                  {"config_sha256", state.config_hash}});
  write_manifest(directory, head, {{kWeights, weights}, {kOptimizer, moments}});
}

Checkpoint::Checkpoint(const std::string& directory) : directory_(directory) {
  // What the next checkpoint replaces and what old ones are removed from must be the run's own.
  ensure<FormatError>(!std::filesystem::is_symlink(directory), directory,
                      ": found a symbolic link, wanted a directory");
  const Json manifest = verified_manifest(directory, kManifestSchema);
  const std::string manifest_file = join_path(directory, kManifestFile);
  const Fields fields(manifest, manifest_file);
  const Json* const files = manifest.find("files");
  for (const char* name : {kWeights, kOptimizer, kState})
    ensure<FormatError>(files->find(name) != nullptr, manifest_file, ": ", name,
                        " is missing from the list of files");
  state_ = read_state(read_json_file(state_file()), state_file());
  ensure<FormatError>(fields.integer("step", {}) == state_.step, state_file(), ": found step ",
                      state_.step, ", the manifest says ", fields.integer("step", {}));
}

std::string Checkpoint::state_file() const { return join_path(directory_, kState); }

CheckpointWeights::CheckpointWeights(const Checkpoint& checkpoint, const ParamStore& params)
    : file_(join_path(checkpoint.directory(), kWeights)) {
  for (const Param& p : params.all())
    if (!p.frozen) check_weight(file_, p);
  for (const std::string& name : file_.names())
    ensure<FormatError>(params.find(name) != nullptr, file_.path(), ": found tensor ",
                        shown_name(name), ", which the model does not have");
}

SafetensorsFile Checkpoint::optimizer_file() const {
  return SafetensorsFile(join_path(directory_, kOptimizer));
}

void Checkpoint::restore_weights(ParamStore& params, const Optimizer& optimizer) const {
  const CheckpointWeights weights(*this, params);
  ensure<FormatError>(state_.optimizer == name_of(optimizer.options().kind), state_file(),
                      ": found the state of ", state_.optimizer, ", wanted ",
                      name_of(optimizer.options().kind));
  optimizer.check(optimizer_file());
  params.assign([&](const Param& p) {
    return p.frozen ? Tensor() : to_device(weights.get(p), p.value.device());
  });
}

void Checkpoint::restore(ParamStore& params, Optimizer& optimizer) const {
  restore_weights(params, optimizer);
  optimizer.restore(optimizer_file(), state_.updates);
}

}  // namespace jogak
