#include "base/unwaited.h"

#include <filesystem>

#include "base/file.h"
#include "base/stop.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

TEST(Unwaited, FilesOfAFolderAreWrittenAsTheyAre) {
  const TempDir dir;
  write_unwaited(dir / "a", "one");
  write_unwaited(dir / "a", "two");
  EXPECT_EQ(read_file(dir / "a"), "two");
  EXPECT_NE(error_of<IoError>([&] { write_unwaited(dir / "none/a", "x"); }).find("writing failed"),
            std::string::npos);
  stop_asked() = true;
  error_of<Stopped>([&] { write_unwaited(dir / "b", "x"); });
  {
    const EndsItself saving;
    write_unwaited(dir / "c", "x");
  }
  stop_asked() = false;
  EXPECT_FALSE(file_exists(dir / "b"));
  EXPECT_TRUE(file_exists(dir / "c"));
}

// Large files take the other way; a link is removed, not what it leads to.
TEST(Unwaited, EverythingBelowGoes) {
  const TempDir dir;
  for (const char* folder : {"out/deep", "kept"}) make_directories(dir / folder);
  for (const char* file : {"out/small", "out/deep/large", "kept/large", "alone"})
    write_file(dir / file, "x");
  for (const char* file : {"out/deep/large", "kept/large", "alone"})
    std::filesystem::resize_file(dir / file, uint64_t{1} << 27);
  std::filesystem::create_symlink(dir / "kept", dir / "out/link");
  std::filesystem::create_symlink(dir / "kept/large", dir / "out/large");
  for (const char* path : {"out", "alone", "never there"}) remove_unwaited(dir / path);
  EXPECT_EQ(list_directory(dir / "."), std::vector<std::string>{"kept"});
  EXPECT_TRUE(file_exists(dir / "kept/large"));
}

}  // namespace
}  // namespace jogak
