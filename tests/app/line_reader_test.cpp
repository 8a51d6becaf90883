#include "app/data/line_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "train/memory.h"

namespace jogak {
namespace {

class LongLines : public testing::Test {
 protected:
  // What is read of a text whose lines may have `longest` bytes, and the error at its end.
  std::string read(const std::string& text, size_t longest) {
    write_file(dir / "in", text);
    const int fd = ::open((dir / "in").c_str(), O_RDONLY);
    LineReader in(fd, "in", nullptr, longest);
    std::string out;
    error.clear();
    try {
      for (std::string_view line; in.next(line);) {
        EXPECT_EQ(text.substr(in.offset(), line.size()), line);
        out += text_of(in.number(), ":", line, "|");
      }
    } catch (const FormatError& found) {
      error = found.what();
    }
    std::string_view none;
    EXPECT_FALSE(in.next(none)) << "the end stays the end";
    ::close(fd);
    return out;
  }
  TempDir dir;
  std::string error;
};

TEST_F(LongLines, ArePassedOverAndTheOthersAreGiven) {
  EXPECT_EQ(read("abc\nde\n\nabcd\nf", 3), "1:abc|2:de|3:|5:f|");
  EXPECT_EQ(error,
            "in: line 4: found a line of more than 3 bytes, wanted at most that (--max-line); the "
            "others were answered");
  EXPECT_EQ(read("abcd", 3), "");
  EXPECT_NE(error, "");
  EXPECT_EQ(read("abcd\n", 3), "");
  EXPECT_NE(error, "");
  EXPECT_EQ(read("abc", 3), "1:abc|");
  EXPECT_EQ(error, "");
}

TEST_F(LongLines, EightAreNamedAndAllAreCounted) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "long\nx\n";
  read(text, 3);
  EXPECT_EQ(error,
            "in: lines 1, 3, 5, 7, 9, 11, 13, 15, and 12 more: found 20 lines of more than 3 "
            "bytes, wanted "
            "at most that (--max-line); the others were answered");
}

TEST_F(LongLines, AreNeverHeld) {
  std::string text = "first\n";
  text.append(size_t{200} << 20, 'x');
  text += "\nlast\n";
  write_file(dir / "long", text);
  text = {};
  const int fd = ::open((dir / "long").c_str(), O_RDONLY);
  LineReader in(fd, "in", nullptr, size_t{1} << 20);
  std::string_view line;
  const size_t before = resident_bytes();
  ASSERT_TRUE(in.next(line));
  ASSERT_TRUE(in.next(line));
  EXPECT_EQ(line, "last");
  EXPECT_EQ(in.number(), 3u);
  EXPECT_LT(resident_bytes(), before + (size_t{16} << 20));
  error_of<FormatError>([&] { in.next(line); });
  ::close(fd);
}

}  // namespace
}  // namespace jogak
