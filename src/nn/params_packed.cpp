// Weights that are laid out for products, small integers and floats: which are, and parts of joined
// layers put together.
#include <algorithm>
#include <cstring>

#include "base/mapped_place.h"
#include "io/quantized_files.h"
#include "nn/laying_out.h"
#include "nn/params.h"
#include "tensor/packed.h"
#include "tensor/tiles.h"

namespace jogak {
namespace {

// Rows [first, first + count) of one behind those of another: codes, scales and zeros alike.
void copy_rows(const Tensor& to, int64_t at, const Tensor& from, int64_t first, int64_t count) {
  const size_t row = static_cast<size_t>(from.dim(1)) * size_of(from.dtype());
  std::memcpy(static_cast<std::byte*>(to.raw()) + static_cast<size_t>(at) * row,
              static_cast<const std::byte*>(from.raw()) + static_cast<size_t>(first) * row,
              static_cast<size_t>(count) * row);
}

Tensor rows_like(const Tensor& x, int64_t rows) {
  return x.defined() ? empty({rows, x.dim(1)}, x.dtype()) : x;
}

void copy_all(const QuantizedMatrix& to, int64_t at, const QuantizedMatrix& from, int64_t first,
              int64_t count) {
  copy_rows(to.codes, at, from.codes, first, count);
  copy_rows(to.scales, at, from.scales, first, count);
  if (to.zeros.defined()) copy_rows(to.zeros, at, from.zeros, first, count);
}

QuantizedMatrix room_for(const QuantizedMatrix& like, int64_t rows) {
  return {like.bits, like.group, rows_like(like.codes, rows), rows_like(like.scales, rows),
          rows_like(like.zeros, rows)};
}

QuantizedMatrix stacked(const std::vector<QuantizedMatrix>& parts) {
  if (parts.size() == 1) return parts[0];
  int64_t rows = 0, at = 0;
  for (const QuantizedMatrix& part : parts) rows += part.rows();
  QuantizedMatrix out = room_for(parts[0], rows);
  for (const QuantizedMatrix& part : parts) {
    copy_all(out, at, part, 0, part.rows());
    at += part.rows();
  }
  return out;
}

QuantizedMatrix reordered(const QuantizedMatrix& there, const RowBlocks& blocks) {
  if (blocks.order.empty()) return there;
  QuantizedMatrix out = room_for(there, there.rows());
  for (size_t i = 0; i < blocks.order.size(); ++i)
    copy_all(out, static_cast<int64_t>(i) * blocks.rows, there, blocks.order[i] * blocks.rows,
             blocks.rows);
  return out;
}

bool alike(const QuantizedMatrix& a, const QuantizedMatrix& b) {
  return a.bits == b.bits && a.group == b.group && a.zeros.defined() == b.zeros.defined();
}

// A weight as we hold it.
Shape shape_of(const ModelFiles& files, const std::string& source, bool transposed) {
  if (is_quantized(files, source)) return quantized_shape(files, source);
  const Shape there = files.info(source).shape;
  return transposed && there.rank() == 2 ? Shape{there[1], there[0]} : there;
}

// What was copied need not stay in memory as pages of the file, too.
Tensor in_tiles(const std::vector<Tensor>& parts, const RowBlocks& blocks) {
  std::vector<Tensor> rows = parts;
  if (!blocks.order.empty()) rows.clear();
  for (const int64_t block : blocks.order)  // of one part
    rows.push_back(parts[0].view({blocks.rows, parts[0].dim(1)}, parts[0].strides(),
                                 parts[0].offset() + block * blocks.rows * parts[0].strides()[0]));
  const Tensor out = tiled(rows);
  for (const Tensor& part : parts)
    if (part.storage()->borrowed()) release_pages(part.raw(), part.bytes());
  return out;
}

}  // namespace

Tensor ParamStore::file_values(const std::string& source) const {
  if (is_quantized(*files_, source)) return dequantized(read_quantized(*files_, source));
  return files_->get(source);
}

Tensor ParamStore::fresh(const Param& param, const Tensor& value) const {
  const bool read_only = use_ != WeightUse::trained && use_ != WeightUse::mixed;
  const bool on_cpu = device_->kind() == Device::Kind::cpu && dtype_ == DType::f32;
  const bool matrix = param.kind == WeightKind::matrix;
  return read_only && on_cpu && matrix && LayingOut::now() ? tiled({value}) : value;
}

Tensor ParamStore::load_packed(const Param& param, const Shape& shape) {
  const bool learns = use_ == WeightUse::trained || use_ == WeightUse::mixed;
  const bool read_only = !learns || (use_ == WeightUse::trained && param.frozen);
  if (!files_ || !read_only || param.kind == WeightKind::plain || dtype_ != DType::f32 ||
      device_->kind() != Device::Kind::cpu)
    return {};
  std::vector<ParamPart> parts = param.parts;
  if (parts.empty()) parts.push_back({param.name, shape[0]});
  std::vector<std::string> sources;
  size_t small = 0;
  for (const ParamPart& part : parts) {  // what is wrong is said where floats are loaded
    sources.push_back(in_file(part.name));
    if (sources.back().empty()) return {};
    const bool quantized = is_quantized(*files_, sources.back());
    if (!(shape.with(0, part.rows) ==
          shape_of(*files_, sources.back(), names_.is_transposed(part.name))))
      return {};
    small += quantized ? 1 : 0;
  }
  if (small < parts.size()) {
    if (learns || !LayingOut::now() || param.kind != WeightKind::matrix) return {};
    std::vector<Tensor> rows;
    for (const ParamPart& part : parts)
      rows.push_back(load(part.name, shape.with(0, part.rows), matrix_type(param), param.sections));
    return in_tiles(rows, param.blocks);
  }
  if (use_ != WeightUse::as_stored && !learns) return {};
  std::vector<QuantizedMatrix> found;
  for (const std::string& source : sources) found.push_back(read_quantized(*files_, source));
  const bool fits = packed_block(found[0].group, found[0].cols()) > 0 &&
                    std::all_of(found.begin(), found.end(),
                                [&](const QuantizedMatrix& m) { return alike(m, found[0]); });
  if (!fits) return {};
  for (const ParamPart& part : parts) matching(part.name, shape.with(0, part.rows));
  const int value_bits = param.kind == WeightKind::matrix ? value_bits_ : 16;
  return packed(reordered(stacked(found), param.blocks), value_bits);
}

}  // namespace jogak
