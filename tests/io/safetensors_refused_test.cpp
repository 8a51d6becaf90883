// Malformed files: each is refused in one line that names the file, the byte and the reason.
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "io/safetensors.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using test::entry;
using test::file_bytes;
using test::length_bytes;
using test::write_plain;

// Opens `bytes`; expects "PATH: byte AT: ... REASON ..." on one line.
void expect_refused(const std::string& label, const std::string& bytes, size_t at,
                    const std::string& reason) {
  SCOPED_TRACE(label);
  const TempDir dir;
  const std::string path = dir / "model.safetensors";
  write_plain(path, bytes);
  const std::string message = error_of<FormatError>([&] { SafetensorsFile{path}; });
  const std::string start = text_of(path, ": byte ", at, ": ");
  EXPECT_EQ(message.substr(0, start.size()), start) << message.substr(0, 300);
  EXPECT_NE(message.find(reason), std::string::npos) << message.substr(0, 300);
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(message.size(), path.size() + 400);
}

struct Case {
  const char* label;
  std::string header;  // '@' stands before the byte that the error must name, and is taken out
  const char* reason;
  size_t data = 1;  // bytes of data behind the header
};

void expect_refused(const Case& c) {
  std::string header = c.header;
  const size_t at = header.find('@');
  ASSERT_NE(at, std::string::npos) << c.label;
  header.erase(at, 1);
  expect_refused(c.label, file_bytes(header, std::string(c.data, '\0')), 8 + at, c.reason);
}

TEST(SafetensorsRefused, TheLengthOfTheHeader) {
  const std::string good = "{" + entry("a", "U8", "[1]", "[0,1]") + "}";
  expect_refused("1 empty file", "", 0, "0 bytes, need 8");
  expect_refused("2 seven bytes", std::string(7, '\0'), 0, "7 bytes, need 8");
  expect_refused("3 N = 0", length_bytes(0) + "{}", 0, "empty header");
  const char* over = "header length over 100000000";
  expect_refused("4 N = limit + 1", length_bytes(100'000'001) + good, 0, over);
  expect_refused("5 N = 2^64 - 1", length_bytes(UINT64_MAX) + good, 0, over);
  expect_refused("6 N = 2^63", length_bytes(1ull << 63) + good, 0, over);
  expect_refused("7 N one past the end", length_bytes(good.size() + 1) + good, 0,
                 "header ends past end of file");
  expect_refused("7 N far past the end", length_bytes(100'000'000) + good, 0,
                 "header ends past end of file");
  std::string reversed = length_bytes(good.size());
  std::reverse(reversed.begin(), reversed.end());
  expect_refused("8 big-endian N", reversed + good + '\0', 0, over);
}

TEST(SafetensorsRefused, WhatIsNotJson) {
  const std::string a = entry("a", "U8", "[1]", "[0,1]");
  const Case cases[] = {
      {"9 invalid UTF-8", "{\"@\xFFz\":1}", "not UTF-8"},
      {"10 overlong UTF-8", "{\"@\xC0\x80\":1}", "not UTF-8"},
      {"10 lone surrogate in UTF-8", "{\"@\xED\xA0\x80\":1}", "not UTF-8"},
      {"10 lone surrogate escaped", "{\"\\@ud800\":1}", "surrogate"},
      {"11 an array", "@[]", "the header must be an object", 0},
      {"11 a string", "@\"x\"", "the header must be an object", 0},
      {"12 byte order mark", "@\xEF\xBB\xBF{" + a + "}", "wanted a JSON value"},
      {"13 truncated", "{" + a + "@", "the end of the text"},
      {"13 truncated in a string", "{\"a@", "closing quote"},
      {"14 garbage after }", "{" + a + "} @x", "wanted the end of the document"},
      {"15 NUL in the padding", "{" + a + "}  @" + std::string(1, '\0'), "byte value 0"},
      {"16 comment", "{@/**/" + a + "}", "'/'"},
      {"16 trailing comma", "{" + a + ",@}", "wanted a key"},
      {"17 depth 65", "{\"a\":" + std::string(63, '[') + "@[" + std::string(64, ']') + "}",
       "deeper than 64"},
      {"18 depth 1,000,000", "{\"a\":" + std::string(63, '[') + "@" + std::string(999'936, '['),
       "deeper than 64"},
      {"only spaces", "    @", "the end of the text", 0},
  };
  for (const Case& c : cases) expect_refused(c);
}

TEST(SafetensorsRefused, NamesTwiceAndMetadata) {
  const std::string a = entry("a", "U8", "[1]", "[0,1]");
  const Case cases[] = {
      {"19 the same twice", "{" + a + ",@" + a + "}", "\"a\" a second time"},
      {"20 twice, other offsets", "{" + a + ",@" + entry("a", "U8", "[1]", "[1,2]") + "}",
       "a second time", 2},
      {"21 twice, once escaped", "{" + a + ",@" + entry("\\u0061", "U8", "[1]", "[0,1]") + "}",
       "a second time"},
      {"22 metadata twice", "{\"__metadata__\":{},@\"__metadata__\":{}," + a + "}",
       "a second time"},
      {"22 a metadata key twice", "{\"__metadata__\":{\"k\":\"\",@\"k\":\"\"}," + a + "}",
       "a second time"},
      {"23 metadata a number", "{\"__metadata__\":{\"k\":@1}," + a + "}", "wanted a string"},
      {"23 metadata null", "{\"__metadata__\":{\"k\":@null}," + a + "}", "wanted a string"},
      {"24 metadata an array", "{\"__metadata__\":@[]," + a + "}", "wanted an object of strings"},
  };
  for (const Case& c : cases) expect_refused(c);
}

TEST(SafetensorsRefused, FieldsOfATensor) {
  const Case cases[] = {
      {"not an object", R"({"a":@1})", "found an integer, wanted an object"},
      {"25 no dtype", R"({"a":@{"shape":[1],"data_offsets":[0,1]}})", "\"dtype\" is missing"},
      {"26 no shape", R"({"a":@{"dtype":"U8","data_offsets":[0,1]}})", "\"shape\" is missing"},
      {"27 no data_offsets", R"({"a":@{"dtype":"U8","shape":[1]}})", "\"data_offsets\" is missing"},
      {"28 field twice", R"({"a":{"dtype":"U8",@"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
       "a second time"},
      {"29 unknown field", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":@1}})",
       "unknown field \"x\""},
      {"30 dtype F33", R"({"a":{"dtype":@"F33","shape":[1],"data_offsets":[0,1]}})",
       "unknown dtype \"F33\""},
      {"30 dtype f32", R"({"a":{"dtype":@"f32","shape":[1],"data_offsets":[0,4]}})",
       "unknown dtype", 4},
      {"30 dtype a number", R"({"a":{"dtype":@32,"shape":[1],"data_offsets":[0,1]}})",
       "wanted a string"},
      {"53 empty name", R"({"":@{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "empty name"},
      {"54 name with NUL", R"({"a\u0000b":@{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
       "contains a NUL"},
      {"55 1 MiB name",
       "{\"" + std::string(1 << 20, 'n') + R"(":@{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
       "a tensor name of 1048576 bytes"},
  };
  for (const Case& c : cases) expect_refused(c);
}

TEST(SafetensorsRefused, Shapes) {
  std::string thousand = "1";
  for (int i = 1; i < 1000; ++i) thousand += ",1";
  const struct {
    const char *label, *dtype;
    std::string shape;
    const char* reason;
  } cases[] = {
      {"32 a number", "U8", "@1", "wanted an array"},
      {"33 negative", "U8", "[@-1]", "found -1, wanted an integer from 0"},
      {"34 1.5", "U8", "[@1.5]", "found 1.5"},
      {"35 1e3", "U8", "[@1e3]", "wanted an integer"},
      {"35 1.0", "U8", "[@1.0]", "wanted an integer"},
      {"36 2^64", "U8", "[@18446744073709551616]", "wanted an integer"},
      {"36 2^63", "U8", "[@9223372036854775808]", "wanted an integer"},
      {"a string", "U8", "[@\"1\"]", "found a string"},
      {"null", "U8", "[@null]", "found null"},
      {"37 product overflows", "U8", "@[4294967296,4294967296]", "too many bytes"},
      {"37 product wraps to 1", "U8", "@[9223372036854775807,9223372036854775807]",
       "too many bytes"},
      {"38 bytes overflow", "F64", "@[1152921504606846976,2]", "too many bytes"},
      {"38 strides overflow beside a 0", "F32", "@[0,4294967296,4294967296]", "too many bytes"},
      {"39 rank 1,000", "U8", "@[" + thousand + "]", "rank over 8"},
      {"39 rank 9", "U8", "@[1,1,1,1,1,1,1,1,1]", "rank over 8"},
      {"45 too small", "U8", "@[]", ""},
      {"45 too large", "U8", "@[3]", "needs 3 bytes, data_offsets give 2"},
      {"45 another dtype", "F32", "@[2]", "needs 8 bytes, data_offsets give 2"},
      {"45 empty", "U8", "@[0]", "needs 0 bytes"},
      {"52 three halves of a byte", "F4", "@[3]", "not a whole number of bytes"},
      {"52 six bits", "F6_E2M3", "@[1]", "not a whole number of bytes"},
      {"52 whole but other", "F4", "@[2]", "needs 1 bytes"},
  };
  for (const auto& c : cases)
    expect_refused({c.label, "{" + entry("a", c.dtype, c.shape, "[0,2]") + "}", c.reason, 2});
}

TEST(SafetensorsRefused, Offsets) {
  const struct {
    const char *label, *offsets, *reason;
  } cases[] = {
      {"not an array", "@2", "wanted two"},
      {"40 one", "@[2]", "found 1 numbers, wanted two"},
      {"41 three", "@[0,2,2]", "found 3 numbers, wanted two"},
      {"42 begin > end", "@[2,0]", "begins at 2 and ends before"},
      {"43 negative", "[@-2,0]", "found -2"},
      {"43 negative end", "[0,@-2]", "found -2"},
      {"fraction", "[@0.0,2]", "wanted an integer"},
      {"44 past the end", "@[2,4]", "past the 2 bytes of data"},
      {"44 one past the end", "@[1,3]", "past the 2 bytes of data"},
      {"44 far past the end", "@[9223372036854775805,9223372036854775807]", "past the 2 bytes"},
  };
  for (const auto& c : cases)
    expect_refused({c.label, "{" + entry("a", "U8", "[2]", c.offsets) + "}", c.reason, 2});
}

TEST(SafetensorsRefused, DataThatIsNotTiled) {
  const std::string a = entry("a", "U8", "[2]", "[0,2]");
  const std::string empty_tail = entry("e", "F32", "[0]", "@[1,1]");
  const Case cases[] = {
      {"46 overlap of one", "{" + a + "," + entry("b", "U8", "[2]", "@[1,3]") + "}",
       "tensors overlap", 3},
      {"46 overlap, order reversed", "{" + entry("b", "U8", "[2]", "@[1,3]") + "," + a + "}",
       "tensors overlap", 3},
      {"46 an empty one inside another", "{" + a + "," + empty_tail + "}", "tensors overlap", 2},
      {"48 hole of one", "{" + a + "," + entry("b", "U8", "[2]", "@[3,5]") + "}", "a hole", 5},
      {"49 first begins at 8", "{" + entry("a", "U8", "[2]", "@[8,10]") + "}", "a hole", 10},
  };
  for (const Case& c : cases) expect_refused(c);

  const std::string whole = file_bytes("{" + a + "}", "xy");
  expect_refused("50 one trailing byte", whole + "z", whole.size(),
                 "1 bytes after the last tensor");
  expect_refused("50 data and no tensor", file_bytes("{}", "z"), 10, "1 bytes after");
  const std::string zip = "PK\x03\x04 then the rest of an archive";
  expect_refused("51 zip appended", whole + zip, whole.size(), "after the last tensor");

  std::string same_range = "{";
  for (int i = 0; i < 10'000; ++i)
    same_range += entry("t" + std::to_string(i), "U8", "[2]", "[0,2]") + (i < 9'999 ? "," : "}");
  const TempDir dir;
  write_plain(dir / "f", file_bytes(same_range, "xy"));
  const std::string message = error_of<FormatError>([&] { SafetensorsFile{dir / "f"}; });
  EXPECT_NE(message.find("tensors overlap"), std::string::npos) << "47: " << message;
}

TEST(SafetensorsRefused, TooMuch) {
  std::string many = "{";
  for (int i = 0; i < 1'000'002; ++i)
    many += entry(std::to_string(i), "U8", "[0]", "[0,0]") + (i < 1'000'001 ? "," : "}");
  const size_t at = 8 + many.rfind('{');
  expect_refused("56 too many tensors", file_bytes(many), at, "too many tensors");
  const std::string values(16'000'001, ',');
  expect_refused("too many values", file_bytes("{\"a\":[1" + values + "]}"), 8 + 7 + 15'999'998,
                 "over 16000000 values");
}

TEST(SafetensorsRefused, OtherKindsOfFile) {
  const struct {
    const char* label;
    std::string bytes;
    const char* reason;
  } cases[] = {
      {"57 Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 548105171\n",
       "Git LFS pointer, not the model"},
      {"58 HTML", "<!DOCTYPE html><html><body>Not found</body></html>", "a web page"},
      {"58 HTML after a newline", "\n\n  <HTML lang=\"en\"><head></head></html>", "a web page"},
      {"59 pickle 2", "\x80\x02\x8a\nl\xfc\x9c\x46\xf9\x20j\xa8P\x19.", "pickle is not read"},
      {"59 pickle 4", std::string("\x80\x04\x95\x10\0\0\0\0\0\0\0}.", 13), "pickle is not read"},
      {"59 pickle whose length is small", std::string("\x80\x02\0\0\0\0\0\0}", 9), "pickle"},
      {"60 zip", "PK\x03\x04\x14 and so on", "a zip archive"},
      {"60 zip of version 0", std::string("PK\x03\x04\0\0\0\0archive/data.pkl", 24), "a zip"},
      {"61 GGUF", std::string("GGUF\x03\0\0\0\x10\0\0\0\0\0\0\0", 16), "a GGUF file"},
      {"gzip", "\x1f\x8b\x08\x08 and so on", "a gzip file"},
      {"zstd", "\x28\xb5\x2f\xfd and so on", "a zstd file"},
  };
  for (const auto& c : cases) expect_refused(c.label, c.bytes, 0, c.reason);

  // A zip so long that its first bytes, read as a length, lie inside the file.
  std::string large_zip("PK\x03\x04\0\0\0\0", 8);
  large_zip.resize(68'000'000, 'z');
  expect_refused("60 large zip", large_zip, 0, "a zip archive");
}

TEST(SafetensorsRefused, WhatIsNoFile) {
  const TempDir dir;
  const std::string fifo = dir / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, dir.path(), std::string("/dev/null")}) {
    const std::string message = error_of<FormatError>([&] { SafetensorsFile{path}; });
    EXPECT_NE(message.find("wanted a regular file"), std::string::npos) << "62: " << message;
  }
  expect_error<MissingError>([&] { SafetensorsFile{dir / "none"}; }, dir / "none: no such file");
}

TEST(SafetensorsRefused, AFileThatShrinksWhileItIsRead) {  // kind 63
  const TempDir dir;
  const std::string path = dir / "f";
  write_plain(path, file_bytes("{" + entry("a", "U8", "[9]", "[0,9]") + "}", "123456789"));
  const SafetensorsFile file(path);
  EXPECT_EQ(file.get("a").count(), 9);
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size - 1);
  const std::string expected = text_of(path, ": its size changed while it was in use: found ",
                                       size - 1, " bytes, wanted ", size);
  expect_error<IoError>([&] { file.get("a"); }, expected);
  expect_error<IoError>([&] { file.read("a"); }, expected);

  // Cut short between the look at its size and the reading.
  write_plain(path, file_bytes("{}" + std::string(98, ' ')));
  const MappedFile mapped(path);
  std::filesystem::resize_file(path, 70);
  const auto read = [&](uint64_t begin, std::span<std::byte> to) { mapped.read(begin, to); };
  expect_error<IoError>([&] { read_safetensors_header(path, 108, read); },
                        path + ": ended at byte 70 while being read, wanted 108");
}

}  // namespace
}  // namespace jogak
