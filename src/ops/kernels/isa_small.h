// What instruction sets have for small numbers beside isa.h's. JOGAK_MAX_ISA has two more values
// for them: avx2-vnni (AVX2 with AVX-VNNI) and avx512-bf16 (AVX-512 with BF16 and VNNI, without
// AMX); avx2 and avx512 are without.
#pragma once

namespace jogak {

// Whether kernels for AVX2 may use AVX-VNNI, sums of four products of bytes.
bool isa_has_avx_vnni();
// Whether kernels for AVX-512 may use AMX, products of whole tiles of bf16 or bytes. isa_name() is
// "avx512-amx" then, for products of bf16 have an order of sums of their own.
bool isa_has_amx();

}  // namespace jogak
