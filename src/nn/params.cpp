#include "nn/params.h"

#include <algorithm>

#include "autograd/autograd.h"

namespace jogak {
namespace {

uint64_t stream_of(const std::string& name) {  // FNV-1a
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

Tensor turned(const Tensor& x) {
  return x.view({x.dim(1), x.dim(0)}, {x.strides()[1], x.strides()[0]}, x.offset());
}

}  // namespace

ParamStore ParamStore::fresh(uint64_t seed, DType dtype, Device& device, NameMap names) {
  ParamStore store;
  store.seed_ = seed;
  store.dtype_ = dtype;
  store.device_ = &device;
  store.names_ = std::move(names);
  return store;
}

ParamStore ParamStore::from_files(const ModelFiles& files, NameMap names, DType dtype,
                                  Device& device) {
  ParamStore store = fresh(0, dtype, device, std::move(names));
  store.files_ = &files;
  const auto all = files.names();
  store.prefixed_ = std::any_of(all.begin(), all.end(), [&](const std::string& name) {
    return !store.names_.prefix.empty() && name.starts_with(store.names_.prefix);
  });
  return store;
}

std::string ParamStore::file_name(const std::string& name) const {
  return prefixed_ ? names_.file_name(name) : name;
}

Tensor ParamStore::load(const std::string& name, const Shape& shape) {
  const std::string source = file_name(name);
  if (!files_->has(source)) {
    wrong_.push_back(source + ": missing, the model wants " + text_of(shape));
    return zeros(shape, dtype_, *device_);
  }
  used_.push_back(source);
  const bool turn = names_.is_transposed(name);
  const Shape wanted = turn ? Shape{shape[1], shape[0]} : shape;
  const TensorInfo& info = files_->info(source);
  if (!(info.shape == wanted)) {
    wrong_.push_back(text_of(source, ": the file has ", info.shape, ", the model wants ", wanted));
    return zeros(shape, dtype_, *device_);
  }
  const Tensor values = files_->get(source);
  const Tensor typed = cast(turn ? turned(values) : values, dtype_);
  // A mapped file is read-only; trained weights need memory of their own.
  return to_device(typed.storage()->borrowed() ? clone(typed) : typed, *device_);
}

Tensor ParamStore::make(const std::string& name, const Shape& shape, Init init, bool trained) {
  ensure<Error>(find(name) == nullptr, "parameter ", name, " is defined twice");
  Tensor value;
  if (files_) {
    value = load(name, shape);
  } else if (init.deviation == 0) {
    value = full(shape, init.mean, dtype_, *device_);
  } else {
    value = randn(shape, Rng(seed_, stream_of(name)), DType::f32, *device_);
    scale_in_place(value, init.deviation);
    if (init.mean != 0) accumulate(value, full(shape, init.mean, DType::f32, *device_));
    value = cast(value, dtype_);
  }
  if (trained) value = leaf(value);
  params_.push_back({name, value, trained});
  return value;
}

void ParamStore::finish() const {
  if (!files_) return;
  std::vector<std::string> offenders = wrong_;
  for (const std::string& name : files_->names()) {
    if (std::find(used_.begin(), used_.end(), name) != used_.end()) continue;
    const bool prefixed = prefixed_ && name.starts_with(names_.prefix);
    if (names_.is_ignored(prefixed ? name.substr(names_.prefix.size()) : name)) continue;
    offenders.push_back(text_of(name, ": in the file with shape ", files_->info(name).shape,
                                ", not used by the model"));
  }
  if (offenders.empty()) return;
  std::string list;
  for (const std::string& line : offenders) list += (list.empty() ? "" : "; ") + line;
  fail<FormatError>(files_->directory(), ": ", offenders.size(),
                    " tensors do not fit the configuration: ", list);
}

std::vector<Tensor> ParamStore::trained() const {
  std::vector<Tensor> out;
  for (const Param& p : params_)
    if (p.trained) out.push_back(p.value);
  return out;
}

int64_t ParamStore::count() const {
  int64_t n = 0;
  for (const Param& p : params_) n += p.trained ? p.value.count() : 0;
  return n;
}

const Param* ParamStore::find(std::string_view name) const {
  for (const Param& p : params_)
    if (p.name == name) return &p;
  return nullptr;
}

void ParamStore::assign(const std::function<Tensor(const Param&)>& value_of) {
  for (const Param& p : params_) copy_into(p.value, value_of(p));
}

Params Params::operator/(std::string_view name) const {
  Params below(*store_);
  below.path_ = path_ + std::string(name) + ".";
  return below;
}

Tensor Params::get(std::string_view name, const Shape& shape, Init init) const {
  return store_->make(path_ + std::string(name), shape, init, true);
}

Tensor Params::buffer(std::string_view name, const Shape& shape, Init init) const {
  return store_->make(path_ + std::string(name), shape, init, false);
}

bool Params::in_file(std::string_view name) const {
  return store_->files_ && store_->files_->has(store_->file_name(path_ + std::string(name)));
}

Tensor to_file_layout(const NameMap& names, const std::string& name, const Tensor& value) {
  return names.is_transposed(name) ? dense(turned(value)) : dense(value);
}

NamedTensors to_file(const ParamStore& store, const NameMap& names) {
  NamedTensors out;
  for (const Param& p : store.all())
    out.emplace_back(names.file_name(p.name), to_file_layout(names, p.name, p.value));
  return out;
}

}  // namespace jogak
