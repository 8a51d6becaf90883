#include "io/gguf_type.h"

#include <array>
#include <cstring>

namespace jogak {
namespace {

uint8_t byte_at(const std::byte* from, int64_t at) { return std::to_integer<uint8_t>(from[at]); }
int8_t signed_at(const std::byte* from, int64_t at) { return static_cast<int8_t>(from[at]); }

float half_at(const std::byte* from, int64_t at) {
  Float16 half;
  std::memcpy(&half.bits, from + at, sizeof(half.bits));
  return static_cast<float>(half);
}

// A scale, then 32 signed bytes.
void widen_q8_0(const std::byte* block, float* out) {
  const float scale = half_at(block, 0);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(signed_at(block, 2 + i));
}

// A scale, then 16 bytes: the first half of the block in their lower four bits, each less 8.
void widen_q4_0(const std::byte* block, float* out) {
  const float scale = half_at(block, 0);
  for (int i = 0; i < 16; ++i) {
    const int two = byte_at(block, 2 + i);
    out[i] = scale * static_cast<float>((two & 15) - 8);
    out[16 + i] = scale * static_cast<float>((two >> 4) - 8);
  }
}

// Scale and offset of run `i` of eight, six bits each, in 12 bytes: of the first four runs in the
// lower bits of a byte each, of the others in four bits and two that the first had to spare.
struct ScaleAndLeast {
  float scale, least;
};
ScaleAndLeast sixes(const std::byte* packed, int i) {
  if (i < 4)
    return {static_cast<float>(byte_at(packed, i) & 63),
            static_cast<float>(byte_at(packed, i + 4) & 63)};
  const int low = byte_at(packed, i + 4);
  return {static_cast<float>((low & 15) | (byte_at(packed, i - 4) >> 6 << 4)),
          static_cast<float>((low >> 4) | (byte_at(packed, i) >> 6 << 4))};
}

// Two scales, the runs' scales and offsets, then eight runs of 32: two to every 32 bytes.
void widen_q4_k(const std::byte* block, float* out) {
  const float scale = half_at(block, 0), least = half_at(block, 2);
  for (int run = 0; run < 8; ++run) {
    const ScaleAndLeast own = sixes(block + 4, run);
    const float d = scale * own.scale, m = least * own.least;
    const std::byte* const values = block + 16 + run / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int two = byte_at(values, i);
      out[32 * run + i] = d * static_cast<float>(run % 2 == 0 ? two & 15 : two >> 4) - m;
    }
  }
}

// 128 bytes of lower bits, 64 of upper ones, a scale for each 16 values, one for all. Each half of
// the block is four runs of 32, whose upper bits share a byte.
void widen_q6_k(const std::byte* block, float* out) {
  const std::byte *const low = block, *const high = block + 128, *const scales = block + 192;
  const float scale = half_at(block, 208);
  for (int half = 0; half < 2; ++half)
    for (int run = 0; run < 4; ++run)
      for (int i = 0; i < 32; ++i) {
        const int lower = byte_at(low, 64 * half + 32 * (run % 2) + i);
        const int upper = byte_at(high, 32 * half + i) >> (2 * run) & 3;
        const int value = ((run < 2 ? lower & 15 : lower >> 4) | upper << 4) - 32;
        const auto own = static_cast<float>(signed_at(scales, 8 * half + 2 * run + i / 16));
        out[128 * half + 32 * run + i] = scale * own * static_cast<float>(value);
      }
}

constexpr std::array<GgufType, 7> kGgufTypes = {{
    {0, "F32", 1, 4, DType::f32, nullptr},
    {1, "F16", 1, 2, DType::f16, nullptr},
    {2, "Q4_0", 32, 18, std::nullopt, widen_q4_0},
    {8, "Q8_0", 32, 34, std::nullopt, widen_q8_0},
    {12, "Q4_K", 256, 144, std::nullopt, widen_q4_k},
    {14, "Q6_K", 256, 210, std::nullopt, widen_q6_k},
    {30, "BF16", 1, 2, DType::bf16, nullptr},
}};

// By number; those that were taken out of the format have no name.
constexpr std::array<const char*, 31> kGgufNames = {
    "F32",     "F16",    "Q4_0",    "Q4_1",  "",       "",      "Q5_0",  "Q5_1",
    "Q8_0",    "Q8_1",   "Q2_K",    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K",  "Q8_K",
    "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS",
    "I8",      "I16",    "I32",     "I64",   "F64",    "IQ1_M", "BF16"};

}  // namespace

const GgufType* find_gguf_type(uint32_t id) {
  for (const GgufType& type : kGgufTypes)
    if (type.id == id) return &type;
  return nullptr;
}

std::string gguf_type_names() {
  std::string out;
  for (const GgufType& type : kGgufTypes) out += (out.empty() ? "" : ", ") + std::string(type.name);
  return out;
}

std::string gguf_type_name(uint32_t id) { return id < kGgufNames.size() ? kGgufNames[id] : ""; }

}  // namespace jogak
