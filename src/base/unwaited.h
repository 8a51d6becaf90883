// Files, without waiting for the disk.
#pragma once

#include <string>
#include <string_view>

namespace jogak {

// One of the many files of a folder that is made: written as it is. Until each is on the disk takes
// far longer than making it.
void write_unwaited(const std::string& path, std::string_view bytes);

// A file or a folder with all that is in it. To free a large file takes a disk as long as it likes,
// a second for each gigabyte and more; who was told to stop has no such time. The names go here and
// now; what they stood for is held open for a moment by a program that does nothing else (sleep),
// and is freed when that ends.
void remove_unwaited(const std::string& path) noexcept;

}  // namespace jogak
