// CRC-32C (Castagnoli), the checksum of TensorBoard's event files.
#pragma once

#include <cstdint>
#include <string_view>

namespace jogak {

// Continues from the CRC of the bytes before: crc32c(b, crc32c(a)) is the CRC of a followed by b.
uint32_t crc32c(std::string_view bytes, uint32_t before = 0);

// A CRC stored beside its data is masked, so that the CRC of data with CRCs inside stays sound.
uint32_t masked_crc32c(std::string_view bytes);

namespace detail {
uint32_t crc32c_by_table(std::string_view bytes, uint32_t before);
uint32_t crc32c_fast(std::string_view bytes, uint32_t before);
bool has_crc32c_instruction();  // of this machine; without it nobody calls crc32c_fast
}  // namespace detail

}  // namespace jogak
