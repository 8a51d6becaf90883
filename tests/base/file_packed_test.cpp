#include <zlib.h>
#include <zstd.h>

#include <filesystem>

#include "base/file.h"
#include "base/hash/hash.h"
#include "base/random.h"
#include "base/read_digests.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

// Incompressible parts between long runs: many blocks, and output far larger than input.
std::string mixed_text(size_t size) {
  Rng rng(4);
  std::string text;
  while (text.size() < size) {
    if (rng.below(2))
      text.append(rng.below(300000), 'r');
    else
      for (uint64_t n = rng.below(5000); n > 0; --n) text += static_cast<char>(rng.next_u32());
  }
  text.resize(size);
  return text;
}

struct Packing {
  const char* ending;
  std::string (*pack)(const std::string&);
};
constexpr Packing kPackings[] = {{".gz", gzip}, {".zst", zstd}};

TEST(PackedFile, ComesOutAsItWent) {
  const TempDir dir;
  for (const auto& [ending, pack] : kPackings) {
    const std::string path = dir / "f" + ending;
    for (const size_t size : {0, 1, 1000, 262143, 262144, 262145, 524288, 3000000}) {
      const std::string text = mixed_text(size);
      write_file(path, pack(text));
      EXPECT_EQ(read_text_file(path), text) << ending << size;
      std::string pieces;
      read_text_file_in_pieces(path, [&](std::string_view piece) { pieces += piece; });
      EXPECT_EQ(pieces, text) << ending << size;
      write_file(path, pack(std::string(size, 'a')));  // as small as it gets
      EXPECT_EQ(read_text_file(path), std::string(size, 'a')) << ending << size;
    }
  }
}

TEST(PackedFile, SeveralMembersFollowEachOther) {
  const TempDir dir;
  const std::string a = mixed_text(400000), b = "나", c = mixed_text(1000);
  for (const auto& [ending, pack] : kPackings) {
    const std::string path = dir / "f" + ending;
    write_file(path, pack(a) + pack("") + pack(b) + pack(c));
    EXPECT_EQ(read_text_file(path), a + b + c) << ending;
  }
}

TEST(PackedFile, EveryCutIsRefused) {
  const TempDir dir;
  for (const auto& [ending, pack] : kPackings) {
    const std::string path = dir / "f" + ending, whole = pack("some text that some text repeats");
    for (size_t cut = 0; cut < whole.size(); ++cut) {
      write_file(path, whole.substr(0, cut));
      const std::string message = error_of<FormatError>([&] { read_text_file(path); });
      EXPECT_EQ(message.find(path + ": byte "), 0u) << message;
    }
    const std::string large = pack(mixed_text(3000000));
    for (const size_t cut : {large.size() - 1, large.size() / 2, size_t{100}}) {
      write_file(path, large.substr(0, cut));
      error_of<FormatError>([&] { read_text_file(path); });
    }
    write_file(path, whole + whole.substr(0, whole.size() / 2));  // the second member is cut
    error_of<FormatError>([&] { read_text_file(path); });
    write_file(path, whole + "garbage");
    error_of<FormatError>([&] { read_text_file(path); });
  }
}

TEST(PackedFile, OtherBytesAreRefusedByName) {
  const TempDir dir;
  write_file(dir / "f.gz", "plain text");
  expect_error<FormatError>([&] { read_text_file(dir / "f.gz"); },
                            dir / "f.gz: byte 2: not valid gzip: incorrect header check");
  write_file(dir / "f.zst", "plain text");
  expect_error<FormatError>([&] { read_text_file(dir / "f.zst"); },
                            dir / "f.zst: byte 0: not valid zstd: Unknown frame descriptor");
  write_file(dir / "e.zst", "");
  expect_error<FormatError>([&] { read_text_file(dir / "e.zst"); },
                            dir / "e.zst: byte 0: the file is empty");
  expect_error<MissingError>([&] { read_text_file(dir / "no.gz"); }, dir / "no.gz: no such file");
}

// Following the mapped bytes would end the process with SIGBUS.
TEST(PackedFile, AFileCutShortWhileItIsReadIsAnError) {
  const TempDir dir;
  std::string text(2000000, '\0');
  Rng rng(7);
  for (char& c : text) c = static_cast<char>(rng.next_u32());  // nothing packs it smaller
  const Packing packings[] = {
      kPackings[0], kPackings[1], {"", [](const std::string& t) { return t; }}};
  for (const auto& [ending, pack] : packings) {
    const std::string path = dir / "f" + ending, packed = pack(text);
    write_file(path, packed);
    const std::string message = error_of<IoError>([&] {
      read_text_file_in_pieces(path,
                               [&](std::string_view) { std::filesystem::resize_file(path, 100); });
    });
    EXPECT_NE(message.find(" while being read, wanted " + std::to_string(packed.size())),
              std::string::npos)
        << message;
  }
}

TEST(PackedFile, ABombStopsAtTheLimit) {
  const TempDir dir;
  for (const auto& [ending, pack] : kPackings) {
    const std::string path = dir / "f" + ending;
    write_file(path, pack(std::string(20 << 20, '\0')));
    expect_error<FormatError>([&] { read_text_file(path, 1 << 20); },
                              path + ": unpacks to more than 1048576 bytes");
    EXPECT_EQ(read_text_file(path, 20 << 20).size(), size_t{20 << 20});
  }
}

TEST(ReadDigests, KnowWhatWasReadToItsEnd) {
  const TempDir dir;
  write_file(dir / "a.txt", "one\ntwo\n");
  const std::string wanted = sha256_hex("one\ntwo\n");
  EXPECT_EQ(text_sha256(dir / "a.txt"), wanted);
  const ReadDigests digests;
  EXPECT_EQ(digests.find(dir / "a.txt"), nullptr);
  EXPECT_THROW(read_text_file_in_pieces(dir / "a.txt", [](std::string_view) { fail<Error>("no"); }),
               Error);
  EXPECT_EQ(digests.find(dir / "a.txt"), nullptr);
  read_text_file_in_pieces(dir / "a.txt", [](std::string_view) {});
  ASSERT_NE(digests.find(dir / "a.txt"), nullptr);
  EXPECT_EQ(*digests.find(dir / "a.txt"), wanted);
  write_file(dir / "a.txt", "three");
  EXPECT_EQ(text_sha256(dir / "a.txt"), wanted) << "it is not read again";
  read_text_file(dir / "a.txt");
  EXPECT_EQ(text_sha256(dir / "a.txt"), sha256_hex("three"));
}

}  // namespace
}  // namespace jogak
