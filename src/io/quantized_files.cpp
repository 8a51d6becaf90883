#include "io/quantized_files.h"

#include <cmath>

namespace jogak {
namespace {

std::string packed_name(const std::string& name) { return name + "_packed"; }
std::string scale_name(const std::string& name) { return name + "_scale"; }
std::string shape_name(const std::string& name) { return name + "_shape"; }
std::string zero_name(const std::string& name) { return name + "_zero_point"; }
std::string order_name(const std::string& name) { return name + "_g_idx"; }

bool is_packed(const ModelFiles& files, const std::string& name) {
  return files.has(packed_name(name));
}

// Found and wanted of one of the tensors a matrix is made of.
template <class... Parts>
[[noreturn]] void wrong(const ModelFiles& files, const std::string& tensor, const Parts&... parts) {
  fail<FormatError>(files.file_of(tensor), ": byte ", files.info(tensor).begin, ": tensor ", tensor,
                    ": ", parts...);
}

Tensor read_as(const ModelFiles& files, const std::string& tensor, DType dtype, int rank) {
  const TensorInfo& info = files.info(tensor);
  if (info.type->dtype != dtype || info.shape.rank() != rank)
    wrong(files, tensor, "found ", info.type->name, " ", info.shape, ", wanted ", dtype, " of ",
          rank, " axes");
  return files.read(tensor);
}

int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

// [rows, cols] of weight_shape, which must fit the packed words; and the bits that follow.
struct Packing {
  int64_t rows = 0, cols = 0;
  int bits = 0;
};

Packing packing_of(const ModelFiles& files, const std::string& name) {
  const std::string words_name = packed_name(name), own = shape_name(name);
  const TensorInfo& words = files.info(words_name);
  if (words.type->dtype != DType::i32 || words.shape.rank() != 2)
    wrong(files, words_name, "found ", words.type->name, " ", words.shape,
          ", wanted I32 [rows, words]");
  if (!files.has(own)) wrong(files, words_name, "found no ", own, " beside it");
  const TensorInfo& info = files.info(own);
  const bool whole = info.type->dtype == DType::i64 || info.type->dtype == DType::i32;
  if (!whole || !(info.shape == Shape{2}))
    wrong(files, own, "found ", info.type->name, " ", info.shape, ", wanted I64 [2]");
  const std::vector<int64_t> size = to_host<int64_t>(files.read(own));
  const int64_t rows = words.shape[0], across = words.shape[1];
  if (size[0] != rows || size[1] < 1 || size[1] / 8 > across)
    wrong(files, own, "found ", size[0], " x ", size[1], ", the packed words are ", words.shape);
  for (const int bits : {4, 8})
    if (across == ceil_of(size[1], 32 / bits)) return {rows, size[1], bits};
  wrong(files, words_name, "found ", across, " words a row for ", size[1], " columns, wanted ",
        ceil_of(size[1], 8), " of 4 bits or ", ceil_of(size[1], 4), " of 8 bits");
}

// Numbers of `bits` in words of 32, `count` of them `step` words apart.
uint8_t word_part(const int32_t* words, int64_t i, int bits, int64_t step) {
  const int64_t per = 32 / bits;
  const auto word = static_cast<uint32_t>(words[i / per * step]);
  return static_cast<uint8_t>(word >> (i % per * bits) & ((1u << bits) - 1));
}

Tensor unpacked_codes(const ModelFiles& files, const std::string& name, const Packing& p) {
  const Tensor words = read_as(files, packed_name(name), DType::i32, 2);
  const Tensor out = empty({p.rows, p.cols}, DType::u8);
  for (int64_t r = 0; r < p.rows; ++r)
    for (int64_t c = 0; c < p.cols; ++c)
      out.data<uint8_t>()[r * p.cols + c] =
          word_part(words.data<int32_t>() + r * words.dim(1), c, p.bits, 1);
  return out;
}

Tensor shifted_codes(const Tensor& codes) {  // -128 .. 127 to 0 .. 255
  const Tensor out = empty(codes.shape(), DType::u8);
  for (int64_t i = 0; i < codes.count(); ++i)
    out.data<uint8_t>()[i] = static_cast<uint8_t>(codes.data<int8_t>()[i] + 128);
  return out;
}

// One a row, one for every group of a row, or one for all.
Tensor read_scales(const ModelFiles& files, const std::string& name, int64_t rows, int64_t cols) {
  const std::string own = scale_name(name);
  if (!files.has(own))
    wrong(files, is_packed(files, name) ? packed_name(name) : name, "found no ", own, " beside it");
  const TensorInfo& info = files.info(own);
  if (!info.type->dtype || !is_float(*info.type->dtype))
    wrong(files, own, "found ", info.type->name, ", wanted F32, BF16 or F16");
  const Tensor values = cast(files.read(own), DType::f32);
  for (int64_t i = 0; i < values.count(); ++i) {
    const float scale = values.data<float>()[i];
    if (!(scale > 0) || !std::isfinite(scale))
      wrong(files, own, "found a scale of ", scale, ", wanted a number above 0");
  }
  const Shape& shape = info.shape;
  if (values.count() == 1 && rows > 0) return full({rows, 1}, values.data<float>()[0]);
  const int64_t groups = shape.rank() == 2 ? shape[1] : 1;
  const bool fits = (shape.rank() == 1 || shape.rank() == 2) && shape[0] == rows;
  if (!fits || groups < 1)
    wrong(files, own, "found scales of shape ", shape, ", wanted [", rows, ", groups]");
  if (cols % groups != 0)
    wrong(files, own, "found ", groups, " groups, which do not divide ", cols, " columns");
  return values.view({rows, groups}, {groups, 1}, 0);
}

Tensor read_zeros(const ModelFiles& files, const std::string& name, const QuantizedMatrix& m) {
  const std::string own = zero_name(name);
  if (!files.has(own)) return {};
  const TensorInfo& info = files.info(own);
  const int64_t rows = m.rows(), groups = m.groups(), per = 32 / m.bits;
  const Tensor out = empty({rows, groups}, DType::u8);
  uint8_t* const to = out.data<uint8_t>();
  if (info.type->dtype == DType::i32 && info.shape == Shape{ceil_of(rows, per), groups}) {
    const Tensor words = files.read(own);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t g = 0; g < groups; ++g)
        to[r * groups + g] = word_part(words.data<int32_t>() + g, r, m.bits, groups);
    return out;
  }
  if (info.type->dtype != DType::i8 ||
      (info.shape.count() != rows * groups && info.shape.count() != 1))
    wrong(files, own, "found ", info.type->name, " ", info.shape, ", wanted I8 [", rows, ", ",
          groups, "] or I32 [", ceil_of(rows, per), ", ", groups, "]");
  const Tensor values = files.read(own);
  const int middle = 1 << (m.bits - 1);
  bool other = false;
  for (int64_t i = 0; i < out.count(); ++i) {
    const int zero = values.data<int8_t>()[values.count() == 1 ? 0 : i];
    if (zero < -middle || zero >= middle)
      wrong(files, own, "found a zero of ", zero, " in ", m.bits, " bits");
    to[i] = static_cast<uint8_t>(zero + middle);
    other |= zero != 0;
  }
  return other ? out : Tensor();
}

Tensor packed_words(const QuantizedMatrix& m) {
  const int64_t per = 32 / m.bits, across = ceil_of(m.cols(), per);
  const Tensor out = zeros({m.rows(), across}, DType::i32);
  for (int64_t r = 0; r < m.rows(); ++r)
    for (int64_t c = 0; c < m.cols(); ++c) {
      int32_t& word = out.data<int32_t>()[r * across + c / per];
      const uint32_t code = m.codes.data<uint8_t>()[r * m.cols() + c];
      word = static_cast<int32_t>(static_cast<uint32_t>(word) | code << (c % per * m.bits));
    }
  return out;
}

Tensor signed_codes(const QuantizedMatrix& m) {
  const Tensor out = empty(m.codes.shape(), DType::i8);
  for (int64_t i = 0; i < out.count(); ++i)
    out.data<int8_t>()[i] = static_cast<int8_t>(m.codes.data<uint8_t>()[i] - 128);
  return out;
}

}  // namespace

bool is_quantized(const ModelFiles& files, const std::string& name) {
  return is_packed(files, name) || (files.has(name) && files.info(name).type->dtype == DType::i8);
}

std::vector<std::string> quantized_names(const ModelFiles& files, const std::string& name) {
  std::vector<std::string> out;
  for (const std::string& one : {name, packed_name(name), scale_name(name), shape_name(name),
                                 zero_name(name), order_name(name)})
    if (files.has(one)) out.push_back(one);
  return out;
}

Shape quantized_shape(const ModelFiles& files, const std::string& name) {
  if (!is_packed(files, name)) return files.info(name).shape;
  const Packing p = packing_of(files, name);
  return {p.rows, p.cols};
}

QuantizedMatrix read_quantized(const ModelFiles& files, const std::string& name) {
  QuantizedMatrix out;
  if (files.has(order_name(name)))
    wrong(files, order_name(name), "columns in another order are not read");
  if (is_packed(files, name)) {
    const Packing p = packing_of(files, name);
    out.bits = p.bits, out.codes = unpacked_codes(files, name, p);
  } else {
    out.codes = shifted_codes(read_as(files, name, DType::i8, 2));
  }
  out.scales = read_scales(files, name, out.rows(), out.cols());
  out.group = out.cols() / out.groups();
  out.zeros = read_zeros(files, name, out);
  return out;
}

bool is_spare_scale(const ModelFiles& files, const std::string& name) {
  constexpr std::string_view kEnd = "_scale";
  if (!name.ends_with(".weight_scale")) return false;
  return !is_quantized(files, name.substr(0, name.size() - kEnd.size()));
}

TensorSources quantized_sources(const QuantizedPlan& plan,
                                const std::function<QuantizedMatrix()>& make) {
  const int64_t rows = plan.shape[0], cols = plan.shape[1];
  TensorSources out;
  const auto scales = [make] { return make().scales; };
  if (plan.bits == 8) {
    out.push_back({plan.name, DType::i8, plan.shape, [make] { return signed_codes(make()); }});
  } else {
    out.push_back(
        {packed_name(plan.name), DType::i32, {rows, ceil_of(cols, 32 / plan.bits)}, [make] {
           return packed_words(make());
         }});
    out.push_back({shape_name(plan.name), DType::i64, {2}, [rows, cols] {
                     return from_values(std::vector<int64_t>{rows, cols}, {2});
                   }});
  }
  out.push_back({scale_name(plan.name), DType::f32, {rows, cols / plan.group}, scales});
  return out;
}

}  // namespace jogak
