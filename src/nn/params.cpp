#include "nn/params.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"

namespace jogak {

Init xavier(int64_t in, int64_t out) {
  return normal(std::sqrt(2.0 / static_cast<double>(in + out)));
}

namespace {

uint64_t stream_of(const std::string& name) {  // FNV-1a
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

Tensor turned(const Tensor& x) {
  return x.view({x.dim(1), x.dim(0)}, {x.strides()[1], x.strides()[0]}, x.offset());
}

Tensor rows_of(const Tensor& x, int64_t first, int64_t rows) {
  return x.view(x.shape().with(0, rows), x.strides(), x.offset() + first * x.strides()[0]);
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

Tensor ParamStore::load_parts(const std::vector<ParamPart>& parts, const Shape& shape) {
  const Tensor whole = empty(shape, dtype_, *device_);
  int64_t first = 0;
  for (const ParamPart& part : parts) {
    copy_into(rows_of(whole, first, part.rows), load(part.name, shape.with(0, part.rows)));
    first += part.rows;
  }
  return whole;
}

Tensor ParamStore::start_value(const std::string& name, const Shape& shape, Init init) const {
  if (init.deviation == 0) return full(shape, init.mean, dtype_, *device_);
  const Tensor value = randn(shape, Rng(seed_, stream_of(name)), DType::f32, *device_);
  scale_in_place(value, init.deviation);
  if (init.mean != 0) accumulate(value, full(shape, init.mean, DType::f32, *device_));
  return cast(value, dtype_);
}

Tensor ParamStore::make(Param param, const Shape& shape, Init init) {
  ensure<Error>(find(param.name) == nullptr, "parameter ", param.name, " is defined twice");
  if (!files_)
    param.value = start_value(param.name, shape, init);
  else
    param.value = param.parts.empty() ? load(param.name, shape) : load_parts(param.parts, shape);
  if (param.trained) param.value = leaf(param.value);
  params_.push_back(std::move(param));
  return params_.back().value;
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

Params Params::join(std::vector<ParamPart> parts) const {
  Params below(*store_);
  below.path_ = path_;
  below.joined_ = std::move(parts);
  return below;
}

Tensor Params::get(std::string_view name, const Shape& shape, Init init) const {
  if (joined_.empty()) return store_->make({path_ + std::string(name), {}}, shape, init);
  Param param;
  std::string together;
  for (const ParamPart& part : joined_) {
    together += (together.empty() ? "" : "+") + part.name;
    param.parts.push_back({path_ + part.name + "." + std::string(name), part.rows});
  }
  param.name = path_ + together + "." + std::string(name);
  return store_->make(std::move(param), shape, init);
}

Tensor Params::buffer(std::string_view name, const Shape& shape, Init init) const {
  return store_->make({path_ + std::string(name), {}, false}, shape, init);
}

bool Params::fresh() const { return store_->files_ == nullptr; }

Tensor Params::optional_buffer(std::string_view name, const Shape& shape, Init init) const {
  const std::string own = path_ + std::string(name);
  if (fresh() || store_->files_->has(store_->file_name(own)))
    return buffer(name, shape, init);
  store_->params_.push_back({own, store_->start_value(own, shape, init), false});
  return store_->params_.back().value;
}

NamedTensors ParamStore::in_file_layout(const Param& p, const Tensor& value,
                                        bool as_opened) const {
  NamedTensors out;
  const auto add = [&](const std::string& name, const Tensor& x) {
    out.emplace_back(as_opened ? file_name(name) : names_.file_name(name),
                     dense(names_.is_transposed(name) ? turned(x) : x));
  };
  if (p.parts.empty()) add(p.name, value);
  int64_t first = 0;
  for (const ParamPart& part : p.parts) {
    add(part.name, rows_of(value, first, part.rows));
    first += part.rows;
  }
  return out;
}

NamedTensors to_file(const ParamStore& store) {
  NamedTensors out;
  for (const Param& p : store.all())
    for (auto& one : store.in_file_layout(p, p.value, false)) out.push_back(std::move(one));
  return out;
}

}  // namespace jogak
