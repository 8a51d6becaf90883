#include "nn/params.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "autograd/autograd.h"
#include "base/listing.h"
#include "base/mapped_place.h"
#include "io/quantized_files.h"
#include "tensor/packed.h"

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

Tensor transposed(const Tensor& x) {
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
  if (const auto found = respelled_.find(name); found != respelled_.end()) return found->second;
  return prefixed_ ? names_.file_name(name) : name;
}

std::string ParamStore::in_file(const std::string& name) const {
  if (!files_) return {};
  const std::string own = prefixed_ ? names_.file_name(name) : name;
  const auto has = [this](const std::string& one) {
    return files_->has(one) || is_quantized(*files_, one);
  };
  if (has(own)) return own;
  const std::string other = names_.respelled(own);
  return has(other) ? other : "";
}

std::string ParamStore::matching(const std::string& name, const Shape& shape) {
  const std::string source = in_file(name);
  if (source.empty()) {
    wrong_.push_back(file_name(name) + ": missing, the model wants " + text_of(shape));
    return {};
  }
  if (source != file_name(name)) respelled_[name] = source;
  const bool small = is_quantized(*files_, source);
  if (small) {
    const std::vector<std::string> all = quantized_names(*files_, source);
    used_.insert(used_.end(), all.begin(), all.end());
  } else {
    used_.push_back(source);
  }
  // Small integers lie row by row of the product, whatever the layout of floats.
  const bool file_transposed = names_.is_transposed(name) && !small;
  const auto as_here = [&](const Shape& x) { return file_transposed ? Shape{x[1], x[0]} : x; };
  const Shape there = small ? quantized_shape(*files_, source) : files_->info(source).shape;
  const Shape wanted =
      there.rank() == shape.rank() ? as_here(shape_there(shape, as_here(there))) : as_here(shape);
  if (there == wanted) return source;
  wrong_.push_back(text_of(source, ": the file has ", there, ", the model wants ", wanted));
  return {};
}

// A configuration that asks for far more than the files hold must not get memory for it: the list
// of offenders ends there.
Tensor ParamStore::placeholder(const Shape& shape, DType dtype) {
  constexpr double kSpare = 1 << 24;
  constexpr size_t kMostOffenders = 1000;
  double bytes = static_cast<double>(size_of(dtype));
  for (int64_t axis = 0; axis < shape.rank(); ++axis) bytes *= static_cast<double>(shape[axis]);
  placeholder_bytes_ += bytes;
  if (wrong_.size() > kMostOffenders ||
      placeholder_bytes_ > kSpare + 2 * static_cast<double>(files_->bytes()))
    refuse(wrong_, " or more");
  return zeros(shape, dtype, *device_);
}

Tensor ParamStore::load(const std::string& name, const Shape& shape, DType dtype,
                        const std::vector<int64_t>& sections) {
  const std::string source = matching(name, shape);
  if (source.empty()) return placeholder(shape, dtype);
  const Tensor values = file_values(source);
  const bool file_transposed = names_.is_transposed(name) && !is_quantized(*files_, source);
  const Tensor own = slice_of(file_transposed ? transposed(values) : values, shape, sections);
  const Tensor typed = cast(own, dtype);
  // A mapped file is read-only; trained weights need memory of their own.
  const bool learns = use_ == WeightUse::trained || use_ == WeightUse::mixed;
  const bool copied = learns && typed.storage()->borrowed() && device_ == &typed.device();
  return to_device(copied ? clone(typed) : typed, *device_);
}

Tensor ParamStore::load_whole(const Param& param, const Shape& shape, DType dtype) {
  if (param.parts.empty())
    return from_file_layout(param, load(param.name, shape, dtype, param.sections));
  bool fit = true;
  for (const ParamPart& part : param.parts)
    if (matching(part.name, shape.with(0, part.rows)).empty()) fit = false;
  if (!fit) return placeholder(shape, dtype);
  const Tensor whole = empty(shape, dtype, *device_);
  int64_t first = 0;
  for (const ParamPart& part : param.parts) {
    const Tensor there = load(part.name, shape.with(0, part.rows), dtype);
    copy_into(rows_of(whole, first, part.rows), there);
    // What was copied need not stay in memory as pages of the file, too.
    if (there.storage()->borrowed() && !there.on_cuda()) release_pages(there.raw(), there.bytes());
    first += part.rows;
  }
  return whole;
}

// Of a matrix. bf16 only if all of its parts are in the file as bf16, or it was asked for.
DType ParamStore::matrix_type(const Param& param) const {
  if (use_ == WeightUse::bf16) return DType::bf16;
  if (use_ != WeightUse::as_stored || !files_) return dtype_;
  const auto is_short = [this](const std::string& name) {
    const std::string source = in_file(name);
    return !source.empty() && files_->has(source) &&
           files_->info(source).type->dtype == DType::bf16;
  };
  const bool all = param.parts.empty()
                       ? is_short(param.name)
                       : std::all_of(param.parts.begin(), param.parts.end(),
                                     [&](const ParamPart& part) { return is_short(part.name); });
  return all ? DType::bf16 : dtype_;
}

Tensor ParamStore::from_file_layout(const Param& p, const Tensor& there) {
  if (p.blocks.order.empty()) return there;
  const Tensor here = empty_like(there);
  for (size_t i = 0; i < p.blocks.order.size(); ++i)
    copy_into(rows_of(here, static_cast<int64_t>(i) * p.blocks.rows, p.blocks.rows),
              rows_of(there, p.blocks.order[i] * p.blocks.rows, p.blocks.rows));
  return here;
}

Tensor ParamStore::start_value(const std::string& name, const Shape& shape, Init init,
                               DType dtype) const {
  if (init.deviation == 0) return full(shape, init.mean, dtype, *device_);
  const Tensor value = randn(shape, Rng(seed_, stream_of(name)), DType::f32, *device_);
  scale_in_place(value, init.deviation);
  if (init.mean != 0) accumulate(value, full(shape, init.mean, DType::f32, *device_));
  return cast(value, dtype);
}

Tensor ParamStore::make(Param param, const Shape& shape, Init init) {
  if (lora_.rank > 0) {
    const std::string layer = param.name.substr(0, param.name.rfind('.'));
    param.frozen = !lora_.trains_whole(layer);
    param.trained = !param.frozen;
  }
  param.value = load_packed(param, shape);
  if (param.value.defined()) return keep(std::move(param));
  const DType dtype = param.kind == WeightKind::plain ? dtype_ : matrix_type(param);
  param.partial = wants_columns(param, shape);
  param.value = files_ ? load_whole(param, shape, dtype)
                       : fresh(param, start_value(param.name, shape, init, dtype));
  if (param.trained) return keep_trained(std::move(param));
  if (use_ == WeightUse::mixed) param.value = cast(param.value, values());
  return keep(std::move(param));
}

Tensor ParamStore::keep_trained(Param param) {
  if (use_ == WeightUse::trained) param.value = leaf(param.value);
  if (use_ == WeightUse::mixed) param.copy = leaf(cast(param.value, values()));
  return keep(std::move(param));
}

Tensor ParamStore::keep(Param param) {
  ensure<Error>(find(param.name) == nullptr, "parameter ", param.name, " is defined twice");
  params_.push_back(std::move(param));
  return params_.back().leaf();
}

void ParamStore::finish() const {
  if (!files_) return;
  std::vector<std::string> offenders = wrong_;
  for (const std::string& name : files_->names()) {
    if (std::find(used_.begin(), used_.end(), name) != used_.end()) continue;
    const bool prefixed = prefixed_ && name.starts_with(names_.prefix);
    if (names_.is_ignored(prefixed ? name.substr(names_.prefix.size()) : name)) continue;
    if (is_spare_scale(*files_, name)) continue;
    offenders.push_back(text_of(name, ": in the file with shape ", files_->info(name).shape,
                                ", not used by the model"));
  }
  if (!offenders.empty()) refuse(offenders);
  const bool divided =
      std::any_of(params_.begin(), params_.end(), [](const Param& p) { return p.partial; });
  ensure<UsageError>(!split_ || split_->self.count == 1 || divided, files_->directory(),
                     ": layers of this family are not divided among processes");
}

void ParamStore::refuse(const std::vector<std::string>& offenders, const char* more) const {
  fail<FormatError>(files_->directory(), ": ", offenders.size(), more,
                    " tensors do not fit the configuration: ", first_of(offenders, "; "));
}

std::vector<Tensor> ParamStore::trained() const {
  std::vector<Tensor> out;
  for (const Param& p : params_)
    if (p.trained) out.push_back(p.leaf());
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

std::vector<std::string> ParamStore::tied_to(const Param& p) const {
  std::vector<std::string> out;
  for (const auto& [name, values] : tied_)
    if (name != p.name && values.storage() == p.value.storage()) out.push_back(file_name(name));
  return out;
}

void ParamStore::assign(const std::function<Tensor(const Param&)>& value_of) {
  for (const Param& p : params_) {
    const Tensor value = value_of(p);
    if (!value.defined()) continue;
    copy_into(p.value, value);
    if (p.copy.defined()) copy_into(p.copy, value);
  }
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

std::string Params::where() const {
  if (joined_.empty()) return path_.substr(0, path_.size() - (path_.empty() ? 0 : 1));
  std::string out = path_;
  for (const ParamPart& part : joined_) out += (out == path_ ? "" : "+") + part.name;
  return out;
}

Params Params::reorder(RowBlocks blocks) const {
  Params same = *this;
  same.blocks_ = std::move(blocks);
  return same;
}

Params Params::sections(std::vector<int64_t> rows) const {
  Params same = *this;
  same.sections_ = std::move(rows);
  return same;
}

Tensor Params::get(std::string_view name, const Shape& shape, Init init) const {
  return store_->make(named(name), shape, init);
}

Tensor Params::matrix(std::string_view name, const Shape& shape, Init init) const {
  return store_->make(named(name, WeightKind::matrix), shape, init);
}

Tensor Params::table(std::string_view name, const Shape& shape, Init init) const {
  return store_->make(named(name, WeightKind::table), shape, init);
}

Param Params::named(std::string_view name, WeightKind kind) const {
  Param param;
  param.kind = kind;
  if (joined_.empty()) {
    param.name = path_ + std::string(name), param.blocks = blocks_, param.sections = sections_;
    return param;
  }
  std::string together;
  for (size_t i = 0; i < joined_.size(); ++i) {
    if (i < 3 || i + 1 == joined_.size())  // of hundreds of channels: 0+1+2..+320
      together += (i == 0 ? "" : i > 3 ? "..+" : "+") + joined_[i].name;
    param.parts.push_back({path_ + joined_[i].name + "." + std::string(name), joined_[i].rows});
  }
  param.name = path_ + together + "." + std::string(name);
  return param;
}

Tensor Params::buffer(std::string_view name, const Tensor& start) const {
  const std::string own = path_ + std::string(name);
  return store_->keep({own,
                       fresh() ? to_device(clone(start), *store_->device_)
                               : store_->load(own, start.shape(), start.dtype()),
                       false});
}

Tensor Params::buffer(std::string_view name, const Shape& shape, DType dtype,
                      const std::function<Tensor()>& start) const {
  if (fresh()) return buffer(name, start());
  const std::string own = path_ + std::string(name);
  return store_->keep({own, store_->load(own, shape, dtype), false});
}

Tensor Params::optional_buffer(std::string_view name, const Tensor& start) const {
  if (fresh() || in_file(name)) return buffer(name, start);
  return store_->keep(
      {path_ + std::string(name), to_device(clone(start), *store_->device_), false});
}

bool Params::in_file(std::string_view name) const {
  const std::string first = joined_.empty() ? "" : joined_[0].name + ".";
  return !store_->in_file(path_ + first + std::string(name)).empty();
}

bool Params::differs_in_file(std::string_view name, const Tensor& values) const {
  const std::string own = path_ + std::string(name), source = store_->in_file(own);
  if (source.empty()) {
    store_->tied_.emplace_back(own, values.detach());
    return false;
  }
  const bool small = values.dtype() == DType::packed;
  const Tensor there = cast(store_->file_values(source), small ? DType::f32 : values.dtype());
  if (!(there.shape() == values.shape())) return true;
  const Tensor here = small ? unpacked(values) : to_device(dense(values), cpu_device());
  return std::memcmp(there.raw(), here.raw(), here.bytes()) != 0;
}

NamedTensors ParamStore::in_file_layout(const Param& p, const Tensor& given, bool as_opened) const {
  NamedTensors out;
  const Tensor value = given.dtype() == DType::packed ? unpacked(given) : given;
  const auto add = [&](const std::string& name, const Tensor& x) {
    out.emplace_back(as_opened ? file_name(name) : names_.file_name(name),
                     dense(names_.is_transposed(name) ? transposed(x) : x));
  };
  if (!p.blocks.order.empty()) {
    const Tensor there = empty_like(value);
    for (size_t i = 0; i < p.blocks.order.size(); ++i)
      copy_into(rows_of(there, p.blocks.order[i] * p.blocks.rows, p.blocks.rows),
                rows_of(value, static_cast<int64_t>(i) * p.blocks.rows, p.blocks.rows));
    add(p.name, there);
  } else if (p.parts.empty()) {
    add(p.name, value);
  }
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
