#include "base/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/base/environment.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::Environment;

std::string bytes_with_everything() {
  std::string bytes;
  for (int i = 0; i < 100000; ++i) bytes += static_cast<char>(i * 7 + i / 256);
  return bytes;
}

TEST(File, WhatIsWrittenIsRead) {
  const TempDir dir;
  for (const std::string& bytes : {std::string(), std::string("x"), bytes_with_everything()}) {
    write_file(dir / "f", bytes);
    EXPECT_EQ(read_file(dir / "f"), bytes);
    EXPECT_EQ(read_text_file(dir / "f"), bytes);
    std::string pieces;
    read_file_in_pieces(dir / "f", [&](std::string_view piece) { pieces += piece; });
    EXPECT_EQ(pieces, bytes);
    const MappedFile mapped(dir / "f");
    EXPECT_EQ(mapped.text(), bytes);
    EXPECT_EQ(mapped.size(), bytes.size());
  }
  EXPECT_EQ(list_directory(dir.path()), std::vector<std::string>{"f"});  // no temporaries stay
}

// Beyond 64 MiB a file goes to the disk while it is written.
TEST(File, LargeOnesAreWhole) {
  const TempDir dir;
  constexpr size_t kPieces = 137, kSize = (1 << 20) + 7;
  const auto piece = [](size_t i) { return std::string(kSize, static_cast<char>('a' + i % 26)); };
  write_file_with(dir / "f", [&](const Sink& sink) {
    for (size_t i = 0; i < kPieces; ++i) sink(piece(i));
    sink(std::string(70 << 20, '-'));  // more than a piece at once
  });
  const MappedFile mapped(dir / "f");
  ASSERT_EQ(mapped.size(), kPieces * kSize + (70 << 20));
  for (size_t i = 0; i < kPieces; ++i)
    ASSERT_TRUE(mapped.text().substr(i * kSize, kSize) == piece(i)) << i;
  EXPECT_EQ(mapped.text().find_first_not_of('-', kPieces * kSize), std::string_view::npos);
}

TEST(File, PiecesOfAnySizeComeOutInOrder) {
  const TempDir dir;
  std::string whole;
  write_file_with(dir / "f", [&](const Sink& sink) {
    for (const size_t size : {0, 1, 1000000, 3, 1 << 20, (1 << 20) + 1, 2, 3000000, 48573}) {
      const std::string piece(size, static_cast<char>('a' + whole.size() % 26));
      whole += piece;
      sink(piece);
    }
  });
  EXPECT_EQ(read_file(dir / "f"), whole);
}

TEST(File, MappingMovesAndOutlivesTheName) {
  const TempDir dir;
  write_file(dir / "f", "content");
  MappedFile first(dir / "f");
  MappedFile second(std::move(first));
  std::filesystem::remove(dir / "f");
  EXPECT_EQ(second.text(), "content");
  MappedFile third;
  EXPECT_EQ(third.size(), 0u);
  third = std::move(second);
  EXPECT_EQ(third.text(), "content");
  EXPECT_EQ(third.path(), dir / "f");
}

TEST(File, AMappedFileThatChangesIsNoticed) {
  const TempDir dir;
  write_file(dir / "f", "0123456789");
  const MappedFile file(dir / "f");
  std::string four(4, '\0');
  const auto read = [&](size_t begin) {
    file.read(begin, std::as_writable_bytes(std::span(four)));
    return four;
  };
  EXPECT_EQ(read(6), "6789");
  expect_error<IoError>([&] { read(7); }, dir / "f: bytes 7 to 11 asked for, the file has 10");
  error_of<IoError>([&] { read(SIZE_MAX); });
  file.ensure_unchanged();
  write_file(dir / "f", "another file, put in its place");
  file.ensure_unchanged();
  EXPECT_EQ(read(0), "0123");

  const MappedFile second(dir / "f");
  std::filesystem::resize_file(dir / "f", 5);
  expect_error<IoError>([&] { second.read(3, std::as_writable_bytes(std::span(four))); },
                        dir / "f: ended at byte 5 while being read, wanted 30");
  expect_error<IoError>([&] { second.ensure_unchanged(); },
                        dir / "f: its size changed while it was in use: found 5 bytes, wanted 30");

  const MappedFile third(dir / "f");
  std::filesystem::last_write_time(dir / "f", std::filesystem::file_time_type());
  expect_error<IoError>([&] { third.ensure_unchanged(); },
                        dir / "f: it was written to while it was in use");
}

TEST(File, AReaderSeesTheOldOrTheNewFile) {
  const TempDir dir;
  const std::string old_bytes(300000, 'o'), new_bytes(200000, 'n');
  write_file(dir / "f", old_bytes);
  std::atomic<bool> stop{false};
  std::atomic<int> reads{0}, mixed{0};
  std::thread reader([&] {
    while (!stop) {
      const std::string seen = read_file(dir / "f");
      mixed += seen != old_bytes && seen != new_bytes;
      ++reads;
    }
  });
  for (int i = 0; i < 50 || reads < 50; ++i) write_file(dir / "f", i % 2 ? old_bytes : new_bytes);
  stop = true;
  reader.join();
  EXPECT_EQ(mixed, 0);
}

TEST(File, AFifoIsWrittenToAndNotReplaced) {
  const TempDir dir;
  const std::string path = dir / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file(path, "hello");
  char bytes[8] = {};
  EXPECT_EQ(::read(reader, bytes, sizeof bytes), 5);
  EXPECT_STREQ(bytes, "hello");
  ::close(reader);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_TRUE(S_ISFIFO(info.st_mode));
}

TEST(File, TwoWritersLeaveOneWholeFile) {
  const TempDir dir;
  const std::string a(100000, 'a'), b(100000, 'b');
  std::thread other([&] {
    for (int i = 0; i < 30; ++i) write_file(dir / "f", a);
  });
  for (int i = 0; i < 30; ++i) write_file(dir / "f", b);
  other.join();
  const std::string last = read_file(dir / "f");
  EXPECT_TRUE(last == a || last == b);
  EXPECT_EQ(list_directory(dir.path()).size(), 1u);
}

TEST(File, AnErrorLeavesTheOldFile) {
  const TempDir dir;
  write_file(dir / "f", "old");
  const auto broken = [&] {
    write_file_with(dir / "f", [](const Sink& sink) {
      sink(std::string(3 << 20, 'x'));
      fail<Error>("half way");
    });
  };
  expect_error<Error>(broken, "half way");
  EXPECT_EQ(read_file(dir / "f"), "old");
  EXPECT_EQ(list_directory(dir.path()).size(), 1u);
}

TEST(File, ADiskThatIsFullLeavesTheOldFile) {
  const TempDir dir;
  write_file(dir / "f", "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{4096, before.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message =
      error_of<IoError>([&] { write_file(dir / "f", std::string(9999, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(message, dir / "f" + ": writing failed: File too large");
  EXPECT_EQ(read_file(dir / "f"), "old");
  EXPECT_EQ(list_directory(dir.path()).size(), 1u);
}

TEST(File, WhereNothingCanBeWritten) {
  const TempDir dir;
  expect_error<IoError>([&] { write_file(dir / "no/f", "x"); },
                        dir / "no/f: creating failed: No such file or directory");
  std::filesystem::create_directory(dir / "d");
  write_file(dir / "d/inside", "x");
  error_of<IoError>([&] { write_file(dir / "d", "x"); });
  expect_error<IoError>([&] { append_line(dir / "d", "x"); },
                        dir / "d: opening failed: Is a directory");
  write_file(dir / "file", "x");
  error_of<IoError>([&] { make_directories(dir / "file/below"); });
}

TEST(File, OnlyRegularFilesAreRead) {
  const TempDir dir;
  const std::string fifo = dir / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const bool mapped : {false, true}) {  // a FIFO without a writer must not hang us either
    const auto open = [&](const std::string& path) {
      if (mapped)
        MappedFile{path};
      else
        read_file(path);
    };
    expect_error<FormatError>([&] { open(fifo); },
                              fifo + ": found a pipe or device, wanted a regular file");
    expect_error<FormatError>([&] { open(dir.path()); },
                              dir.path() + ": found a directory, wanted a regular file");
    expect_error<FormatError>([&] { open("/dev/null"); },
                              "/dev/null: found a pipe or device, wanted a regular file");
    expect_error<MissingError>([&] { open(dir / "no"); }, dir / "no: no such file");
    expect_error<MissingError>([&] { open(fifo + "/below"); }, fifo + "/below: no such file");
  }
}

TEST(File, AppendsLines) {
  const TempDir dir;
  append_line(dir / "log", "one");
  append_line(dir / "log", "둘");
  EXPECT_EQ(read_file(dir / "log"), "one\n둘\n");
}

TEST(File, DirectoriesAndNames) {
  const TempDir dir;
  make_directories(dir / "a/b/c");
  make_directories(dir / "a/b/c");  // a second time is fine
  EXPECT_TRUE(is_directory(dir / "a/b/c"));
  EXPECT_FALSE(is_directory(dir / "none"));
  write_file(dir / "a/z", "");
  write_file(dir / "a/y", "");
  EXPECT_EQ(list_directory(dir / "a"), (std::vector<std::string>{"b", "y", "z"}));
  expect_error<MissingError>([&] { list_directory(dir / "none"); },
                             dir / "none: no such directory");
  error_of<IoError>([&] { list_directory(dir / "a/z"); });
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(file_name("a/b.txt"), "b.txt");
}

TEST(FindData, AsGivenThenTheEnvironmentThenData) {
  const TempDir dir, root;
  const std::string here = std::filesystem::current_path().string();
  std::filesystem::current_path(dir.path());
  {
    const Environment data("JOGAK_DATA", root.path().c_str());
    error_of<MissingError>([] { find_data("x.txt"); });
    make_directories("data");
    write_file("data/x.txt", "");
    EXPECT_EQ(find_data("x.txt"), "data/x.txt");
    write_file(root / "x.txt", "");
    EXPECT_EQ(find_data("x.txt"), root / "x.txt");
    write_file("x.txt", "");
    EXPECT_EQ(find_data("x.txt"), "x.txt");
    expect_error<MissingError>([&] { find_data("y.txt", "the library"); },
                               "y.txt: not found (looked for y.txt, " + root / "y.txt" +
                                   ", data/y.txt); get it from the library");
  }
  {
    const Environment data("JOGAK_DATA", nullptr);
    expect_error<MissingError>(
        [] { find_data("y.txt"); },
        "y.txt: not found (looked for y.txt, data/y.txt; $JOGAK_DATA is not set)");
    expect_error<MissingError>([] { find_data("/none/y"); },
                               "/none/y: not found (looked for /none/y; $JOGAK_DATA is not set)");
  }
  std::filesystem::current_path(here);
}

}  // namespace
}  // namespace jogak
