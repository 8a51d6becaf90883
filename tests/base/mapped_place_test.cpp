#include "base/mapped_place.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/file.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

TEST(MappedPlace, NamesTheFileAndTheByte) {
  const TempDir dir;
  write_file(dir / "a", "0123456789");
  write_file(dir / "b", "abc");
  const char* gone = nullptr;
  {
    MappedFile a(dir / "a"), b(dir / "b");
    EXPECT_STREQ(mapped_place(a.data() + 7).path, (dir / "a").c_str());
    EXPECT_EQ(mapped_place(a.data() + 7).byte, 7u);
    EXPECT_STREQ(mapped_place(b.data()).path, (dir / "b").c_str());
    EXPECT_EQ(mapped_place(a.data() + 10).path, nullptr);
    EXPECT_EQ(mapped_place(&dir).path, nullptr);
    const MappedFile moved = std::move(a);
    EXPECT_EQ(mapped_place(moved.data() + 9).byte, 9u);
    gone = moved.text().data();
  }
  EXPECT_EQ(mapped_place(gone).path, nullptr);
}

// What one thread forgets, another may be looking at: the sanitizers would tell.
TEST(MappedPlace, ThreadsMapAndUnmapBesideEachOther) {
  const TempDir dir;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&dir, i] {
      const std::string path = dir / std::to_string(i);
      write_file(path, std::string(300'000, 'a'));
      for (int turn = 0; turn < 300; ++turn) {
        const MappedFile file(path);
        EXPECT_EQ(mapped_place(file.data() + 3).path, path);
        release_pages(file.data(), file.text().size());  // looks at what lies around it
        EXPECT_EQ(file.text().back(), 'a');
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(MappedPlace, MoreFilesThanItKnowsAreStillRead) {
  const TempDir dir;
  write_file(dir / "a", "0123456789");
  std::vector<MappedFile> files;
  for (int i = 0; i < 600; ++i) files.emplace_back(dir / "a");
  EXPECT_EQ(files.back().text(), "0123456789");
  EXPECT_EQ(mapped_place(files.back().data()).path, nullptr);
  files.clear();
  const MappedFile again(dir / "a");
  EXPECT_EQ(mapped_place(again.data()).byte, 0u);
  EXPECT_NE(mapped_place(again.data()).path, nullptr);
}

}  // namespace
}  // namespace jogak
