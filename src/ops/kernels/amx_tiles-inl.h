// AMX's instructions: eight registers of 16 rows of 64 bytes. By their names, for the intrinsics of
// GCC 12 want the number of a register as a literal.
#if defined(JOGAK_OPS_AMX_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_AMX_TILES_INL_H_
#undef JOGAK_OPS_AMX_TILES_INL_H_
#else
#define JOGAK_OPS_AMX_TILES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

// All eight as large as they can be. A thread that has tiles in use is costly to interrupt:
// LeaveTiles when done.
inline void UseTiles() {
  struct alignas(64) Shapes {
    uint8_t palette = 1, start = 0, unused[14] = {};
    uint16_t bytes[16] = {};
    uint8_t rows[16] = {};
  } shapes;
  static_assert(sizeof(Shapes) == 64);
  std::fill_n(shapes.bytes, 8, uint16_t{64});
  std::fill_n(shapes.rows, 8, uint8_t{16});
  asm volatile("ldtilecfg (%0)" : : "r"(&shapes) : "memory");
}
inline void LeaveTiles() { asm volatile("tilerelease" : : : "memory"); }

template <int kTile>
HWY_INLINE void TileZero() {
  asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
}
template <int kTile>  // rows lie `stride` bytes apart
HWY_INLINE void TileLoad(const void* from, int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(kTile) : "memory");
}
template <int kTile>
HWY_INLINE void TileStore(void* to, int64_t stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(kTile) : "memory");
}
// kSum += kA kB, of bf16 in pairs; and of signed bytes by unsigned ones, in fours.
template <int kSum, int kA, int kB>
HWY_INLINE void TileDotBf16() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kA), "i"(kB));
}
template <int kSum, int kA, int kB>
HWY_INLINE void TileDotBytes() {
  asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kA), "i"(kB));
}

// The same for products of bf16 that may be made of something else, as tests do.
struct AmxTiles {
  static void Use() { UseTiles(); }
  static void Leave() { LeaveTiles(); }
  template <int kTile>
  static HWY_INLINE void Zero() {
    TileZero<kTile>();
  }
  template <int kTile>
  static HWY_INLINE void Load(const void* from, int64_t stride) {
    TileLoad<kTile>(from, stride);
  }
  template <int kTile>
  static HWY_INLINE void Store(void* to, int64_t stride) {
    TileStore<kTile>(to, stride);
  }
  template <int kSum, int kA, int kB>
  static HWY_INLINE void Dot() {
    TileDotBf16<kSum, kA, kB>();
  }
};

}  // namespace
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
