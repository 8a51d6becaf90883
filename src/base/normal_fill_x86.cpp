// Four normal numbers at a time. Logarithm and cosine are series good to about 2^-41; where that
// much could change the f32 a number is rounded to (one number in some thousands), it is computed
// as Rng::normal() computes it. So the bits are always the same as there.
#include "base/normal_fill.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <numbers>

#define JOGAK_WIDE __attribute__((target("avx2,fma"), always_inline)) inline

namespace jogak {
namespace {

using Ints = __m256i;
using Reals = __m256d;

JOGAK_WIDE Reals all(double x) { return _mm256_set1_pd(x); }
JOGAK_WIDE Ints all_bits(uint64_t x) { return _mm256_set1_epi64x(static_cast<int64_t>(x)); }
JOGAK_WIDE Reals as_reals(Ints x) { return _mm256_castsi256_pd(x); }
JOGAK_WIDE Ints as_ints(Reals x) { return _mm256_castpd_si256(x); }

struct Block {
  Ints high, low;  // words 0 and 1, and 2 and 3, of four blocks
};

JOGAK_WIDE Block philox_blocks(uint64_t seed, uint64_t stream, uint64_t block) {
  Ints c0 = _mm256_add_epi64(all_bits(block), _mm256_set_epi64x(3, 2, 1, 0));
  Ints c1 = _mm256_srli_epi64(c0, 32), c2 = all_bits(stream), c3 = all_bits(stream >> 32);
  uint64_t k0 = seed, k1 = seed >> 32;
  for (int round = 0; round < 10; ++round) {  // products take the lower halves of the lanes
    const Ints p0 = _mm256_mul_epu32(c0, all_bits(0xD2511F53));
    const Ints p1 = _mm256_mul_epu32(c2, all_bits(0xCD9E8D57));
    c0 = _mm256_xor_si256(_mm256_srli_epi64(p1, 32), _mm256_xor_si256(c1, all_bits(k0)));
    c2 = _mm256_xor_si256(_mm256_srli_epi64(p0, 32), _mm256_xor_si256(c3, all_bits(k1)));
    c1 = p1, c3 = p0;
    k0 += 0x9E3779B9, k1 += 0xBB67AE85;
  }
  const Ints lower = all_bits(0xFFFFFFFF);
  return {_mm256_or_si256(_mm256_slli_epi64(c0, 32), _mm256_and_si256(c1, lower)),
          _mm256_or_si256(_mm256_slli_epi64(c2, 32), _mm256_and_si256(c3, lower))};
}

// [0, 1) with the upper 53 bits: 52 as the fraction of a number from 1 on, and one more.
JOGAK_WIDE Reals unit(Ints bits) {
  const Ints one = all_bits(0x3FF0000000000000), least = all_bits(0x3CA0000000000000);  // 2^-53
  const Ints last = _mm256_and_si256(_mm256_srli_epi64(bits, 11), all_bits(1));
  const Reals above = as_reals(_mm256_or_si256(_mm256_srli_epi64(bits, 12), one));
  const Reals rest = as_reals(_mm256_and_si256(_mm256_sub_epi64(all_bits(0), last), least));
  return _mm256_add_pd(_mm256_sub_pd(above, all(1)), rest);
}

// Of a number from 2^-53 to 1: u = m 2^e with m near 1, log m = 2 atanh((m - 1) / (m + 1)).
JOGAK_WIDE Reals log_of(Reals u) {
  const Ints bits = as_ints(u), fraction = all_bits(0x000FFFFFFFFFFFFF);
  Reals m =
      as_reals(_mm256_or_si256(_mm256_and_si256(bits, fraction), all_bits(0x3FF0000000000000)));
  const Reals raised =
      as_reals(_mm256_or_si256(_mm256_srli_epi64(bits, 52), all_bits(0x4330000000000000)));
  Reals e = _mm256_sub_pd(raised, all(0x1p52 + 1023));
  const Reals large = _mm256_cmp_pd(m, all(std::numbers::sqrt2), _CMP_GT_OQ);
  m = _mm256_blendv_pd(m, _mm256_mul_pd(m, all(0.5)), large);
  e = _mm256_add_pd(e, _mm256_and_pd(large, all(1)));
  const Reals f = _mm256_div_pd(_mm256_sub_pd(m, all(1)), _mm256_add_pd(m, all(1)));
  const Reals s = _mm256_mul_pd(f, f);
  Reals sum = all(1.0 / 19);
  for (int n = 17; n > 0; n -= 2) sum = _mm256_fmadd_pd(sum, s, all(1.0 / n));
  return _mm256_fmadd_pd(e, all(std::numbers::ln2), _mm256_mul_pd(_mm256_add_pd(f, f), sum));
}

// 1/n!, with the signs of the series of sine (odd n) and cosine (even n).
constexpr auto kOverFactorial = [] {
  std::array<double, 16> out{};
  double factorial = 1;
  for (size_t n = 0; n < out.size(); ++n) {
    if (n > 0) factorial *= static_cast<double>(n);
    out[n] = (n % 4 < 2 ? 1 : -1) / factorial;
  }
  return out;
}();

// Of an angle from 0 to 2 pi, from its distance to the nearest quarter turn.
JOGAK_WIDE Reals cos_of(Reals angle) {
  const Reals magic = all(0x1.8p52);  // the sum's last bits are the nearest whole number
  const Reals rounded = _mm256_fmadd_pd(angle, all(2 / std::numbers::pi), magic);
  const Reals quarters = _mm256_sub_pd(rounded, magic);
  Reals x = _mm256_fnmadd_pd(quarters, all(0x1.921fb54442d18p0), angle);
  x = _mm256_fnmadd_pd(quarters, all(0x1.1a62633145c07p-54), x);
  const Reals s = _mm256_mul_pd(x, x);
  Reals cosine = all(kOverFactorial[14]), sine = all(kOverFactorial[15]);
  for (size_t n = 14; n > 0; n -= 2) {
    cosine = _mm256_fmadd_pd(cosine, s, all(kOverFactorial[n - 2]));
    sine = _mm256_fmadd_pd(sine, s, all(kOverFactorial[n - 1]));
  }
  sine = _mm256_mul_pd(sine, x);
  const Ints quarter = as_ints(rounded);  // 0: cos, 1: -sin, 2: -cos, 3: sin
  const Reals odd = as_reals(_mm256_slli_epi64(quarter, 63));
  const Ints second = _mm256_slli_epi64(_mm256_add_epi64(quarter, all_bits(1)), 62);
  const Reals sign = _mm256_and_pd(as_reals(second), all(-0.0));
  return _mm256_xor_pd(_mm256_blendv_pd(cosine, sine, odd), sign);
}

// Writes four numbers; a bit for each that must be computed again.
JOGAK_WIDE int four(uint64_t seed, uint64_t stream, uint64_t block, float* out) {
  const Block words = philox_blocks(seed, stream, block);
  const Reals u = _mm256_sub_pd(all(1), unit(words.high)), v = unit(words.low);
  const Reals radius = _mm256_sqrt_pd(_mm256_mul_pd(all(-2), log_of(u)));
  const Reals cosine = cos_of(_mm256_mul_pd(all(2 * std::numbers::pi), v));
  const Reals number = _mm256_mul_pd(radius, cosine);
  constexpr double kError = 0x1p-38;
  const __m128 least = _mm256_cvtpd_ps(_mm256_mul_pd(number, all(1 - kError)));
  const __m128 most = _mm256_cvtpd_ps(_mm256_mul_pd(number, all(1 + kError)));
  _mm_storeu_ps(out, most);
  const Reals size = _mm256_andnot_pd(all(-0.0), cosine);  // a small one is not known that well
  const Reals unsure = _mm256_or_pd(_mm256_cmp_pd(size, all(0x1p-10), _CMP_LT_OQ),
                                    _mm256_cmp_pd(u, all(1), _CMP_EQ_OQ));
  return _mm_movemask_ps(_mm_cmpneq_ps(least, most)) | _mm256_movemask_pd(unsure);
}

__attribute__((target("avx2,fma"))) void fill(const Rng& rng, std::span<float> out) {
  const uint64_t block = rng.position() / 4;
  for (size_t i = 0; i < out.size(); i += 4) {
    int again = four(rng.seed(), rng.stream(), block + i, out.data() + i);
    for (size_t lane = i; again != 0; again >>= 1, ++lane) {
      if (!(again & 1)) continue;
      Rng one = rng;
      one.seek(rng.position() + 4 * lane);
      out[lane] = static_cast<float>(one.normal());
    }
  }
}

}  // namespace

size_t detail::fill_normal_fast(const Rng& rng, std::span<float> out) {
  if (rng.position() % 4 != 0) return 0;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
  const size_t count = out.size() / 4 * 4;
  fill(rng, out.first(count));
  return count;
}

}  // namespace jogak

#endif
