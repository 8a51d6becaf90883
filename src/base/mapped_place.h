// Which mapped file an address lies in: for a handler of SIGBUS, which a file that is cut short
// while it is in use gives.
#pragma once

#include <cstddef>
#include <string>

namespace jogak {

struct MappedPlace {
  const char* path = nullptr;  // null: no file is known there
  size_t byte = 0;             // of the file
};

// Takes no lock and no memory: safe in a signal handler.
MappedPlace mapped_place(const void* address) noexcept;

// What was read of a mapped file and is not needed soon leaves this process's memory; it can be
// read again as before. Of other memory nothing is touched.
void release_pages(const void* begin, size_t bytes) noexcept;

namespace detail {
// Files past a fixed number are not noted; nothing but the message is lost.
void note_mapping(const void* begin, size_t bytes, const std::string& path);
void forget_mapping(const void* begin) noexcept;
}  // namespace detail

}  // namespace jogak
