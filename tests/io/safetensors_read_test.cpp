#include <cmath>
#include <filesystem>

#include "io/safetensors.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

using test::entry;
using test::file_bytes;
using test::write_plain;

std::string golden(const std::string& name) { return source_path("tests/goldens/io/") + name; }

std::vector<double> counted(double step, double first) {
  std::vector<double> out;
  for (int i = 0; i < 15; ++i) out.push_back(first + step * i);
  return out;
}

TEST(Safetensors, ReadsWhatTheReferenceWroteInEveryType) {
  const SafetensorsFile file(golden("every_dtype.safetensors"));
  EXPECT_EQ(file.metadata(), (Metadata{{"format", "pt"}}));
  EXPECT_EQ(file.size(), 19u);
  const auto check = [&](const char* name, DType dtype, const Shape& shape, double step,
                         double first) {
    for (const Tensor& tensor : {file.get(name), file.read(name)}) {
      EXPECT_EQ(tensor.dtype(), dtype) << name;
      EXPECT_EQ(tensor.shape(), shape) << name;
      EXPECT_EQ(to_host<double>(tensor), counted(step, first)) << name;
    }
  };
  check("f32", DType::f32, {3, 5}, 0.25, -1);
  check("f64", DType::f64, {3, 5}, 0.25, -1);
  check("bf16", DType::bf16, {3, 5}, 0.25, -1);
  check("f16", DType::f16, {3, 5}, 0.25, -1);
  check("i32", DType::i32, {5, 3}, 3, -4);
  check("i64", DType::i64, {5, 3}, 3, -4);
  check("u8", DType::u8, {15}, 3, 4);
  const Tensor bools = file.get("bool");
  EXPECT_EQ(bools.shape(), (Shape{1, 15}));
  for (int i = 0; i < 15; ++i) EXPECT_EQ(bools.data<bool>()[i], i % 3 == 0);
  EXPECT_EQ(to_host<int64_t>(file.get("listed.i8")), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(file.get("rank0").shape(), Shape());
  EXPECT_EQ(item(file.get("rank0")), -1);
  EXPECT_EQ(file.get("empty").shape(), (Shape{2, 0, 3}));
  EXPECT_EQ(to_host<int64_t>(file.get("한글 \"name\"\n")), (std::vector<int64_t>{1, 2}));
}

TEST(Safetensors, TypesThatCannotBeLoadedAreListed) {
  const SafetensorsFile file(golden("every_dtype.safetensors"));
  const std::pair<const char*, uint64_t> listed[] = {{"i16", 6},    {"u16", 6},  {"u32", 12},
                                                     {"u64", 24},   {"c64", 24}, {"f8_e4m3", 3},
                                                     {"f8_e5m2", 3}};
  for (const auto& [name, bytes] : listed) {
    const std::string full = std::string("listed.") + name;
    const TensorInfo& info = file.info(full);
    EXPECT_EQ(info.bytes(), bytes) << name;
    EXPECT_EQ(info.shape, (Shape{3}));
    for (const bool copy : {false, true})
      expect_error<FormatError>([&] { copy ? file.read(full) : file.get(full); },
                                text_of(file.path(), ": byte ", info.begin, ": tensor \"", full,
                                        "\" has unsupported dtype ", info.type->name,
                                        ", wanted F32, F64, BF16, F16, I32, I64, I8, U8 or BOOL"));
  }
}

TEST(Safetensors, NamesAreSortedAndMissingOnesSuggested) {
  const SafetensorsFile file(golden("ours.safetensors"));
  const auto names = file.names();
  EXPECT_EQ(names.size(), 11u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_TRUE(file.has("f32"));
  EXPECT_FALSE(file.has("f33"));
  EXPECT_FALSE(file.has("__metadata__"));
  expect_error<MissingError>([&] { file.get("rnak0"); },
                             file.path() + ": no tensor \"rnak0\" (did you mean \"rank0\"?)");
}

TEST(Safetensors, BorrowsTheMappingAndKeepsItAlive) {
  const TempDir dir;
  const std::string path = dir / "f";
  std::string header = "{" + entry("a", "F32", "[2]", "[0,8]") + "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  const float values[] = {1.5f, -2};
  const std::string data(reinterpret_cast<const char*>(values), 8);
  const auto get = [&](size_t padding) {
    write_plain(path, file_bytes(header + std::string(padding, ' '), data));
    const SafetensorsFile file(path);
    EXPECT_FALSE(file.read("a").storage()->borrowed());
    return file.get("a");
  };
  for (size_t padding = 0; padding < 9; ++padding) {  // A7: data that begins anywhere
    const Tensor tensor = get(padding);               // the file object is gone
    std::filesystem::remove(path);
    EXPECT_EQ(tensor.storage()->borrowed(), padding % 4 == 0) << padding;
    EXPECT_EQ(to_host<float>(tensor), (std::vector<float>{1.5f, -2})) << padding;
  }
}

TEST(Safetensors, ValuesAreNotJudgedExceptBools) {  // kind 64 is for whoever uses them
  const TempDir dir;
  const float values[] = {NAN, INFINITY};
  const std::string data(reinterpret_cast<const char*>(values), 8);
  write_plain(dir / "f", file_bytes("{" + entry("a", "F32", "[2]", "[0,8]") + "}", data));
  EXPECT_TRUE(std::isnan(to_host<float>(SafetensorsFile(dir / "f").get("a"))[0]));

  const std::string header = "{" + entry("a", "BOOL", "[3]", "[0,3]") + "}";
  write_plain(dir / "f", file_bytes(header, std::string("\x00\x01\x02", 3)));
  const SafetensorsFile file(dir / "f");
  for (const bool copy : {false, true})
    expect_error<FormatError>([&] { copy ? file.read("a") : file.get("a"); },
                              text_of(dir / "f: byte ", 8 + header.size() + 2,
                                      ": found 2 in a BOOL tensor, wanted 0 or 1"));
}

// --- files that must be accepted ---

SafetensorsFile opened(const TempDir& dir, const std::string& header, const std::string& data) {
  write_plain(dir / "f", file_bytes(header, data));
  return SafetensorsFile(dir / "f");
}

TEST(SafetensorsAccepted, SpaceAroundTheHeaderAndInIt) {  // A1, A2
  const TempDir dir;
  const std::string a = entry("a", "U8", "[1]", "[0,1]");
  for (const std::string& header :
       {" \t\r\n{" + a + "}", "{" + a + "}  \n\t\r ", "{ \n" + a + " }",
        std::string(
            R"({"a" : { "shape" : [ 1 ] , "data_offsets" : [ 0 , 1 ] , "dtype" : "U8" }})")})
    EXPECT_EQ(item(opened(dir, header, "\x07").get("a")), 7) << header;
}

TEST(SafetensorsAccepted, AnyOrderOfNames) {  // A3
  const TempDir dir;
  const SafetensorsFile file =
      opened(dir,
             "{" + entry("z", "U8", "[1]", "[1,2]") + "," + entry("empty", "F64", "[0]", "[1,1]") +
                 "," + entry("b", "U8", "[1]", "[0,1]") + "}",
             "\x05\x06");
  EXPECT_EQ(item(file.get("z")), 6);
  EXPECT_EQ(item(file.get("b")), 5);
  EXPECT_EQ(file.get("empty").count(), 0);
  EXPECT_EQ(file.names(), (std::vector<std::string>{"b", "empty", "z"}));
}

TEST(SafetensorsAccepted, NothingInIt) {  // A4, A8
  const TempDir dir;
  EXPECT_EQ(opened(dir, "{}", "").size(), 0u);
  const SafetensorsFile file = opened(dir, R"({"__metadata__":{"a":"b","":""}})", "");
  EXPECT_EQ(file.size(), 0u);
  EXPECT_EQ(file.metadata(), (Metadata{{"a", "b"}, {"", ""}}));
  EXPECT_TRUE(opened(dir, "{" + entry("a", "U8", "[1]", "[0,1]") + "}", "x").metadata().empty());
}

TEST(SafetensorsAccepted, Rank0EmptyAndRank8) {  // A5, A6
  const TempDir dir;
  const SafetensorsFile file =
      opened(dir,
             "{" + entry("scalar", "U8", "[]", "[0,1]") + "," +
                 entry("empty", "F32", "[3,0,9223372036854775]", "[1,1]") + "," +
                 entry("eight", "U8", "[1,1,1,1,1,1,1,2]", "[1,3]") + "}",
             "\x09\x01\x02");
  EXPECT_EQ(file.get("scalar").rank(), 0);
  EXPECT_EQ(item(file.get("scalar")), 9);
  EXPECT_EQ(file.get("empty").shape(), (Shape{3, 0, 9223372036854775}));
  EXPECT_EQ(file.read("empty").count(), 0);
  EXPECT_EQ(to_host<int64_t>(file.get("eight")), (std::vector<int64_t>{1, 2}));
}

TEST(SafetensorsAccepted, EscapedNames) {  // A9
  const TempDir dir;
  const SafetensorsFile file = opened(
      dir, "{" + entry(R"(\ud55c\uae00\ud83d\ude00\"\\\n)", "U8", "[1]", "[0,1]") + "}", "x");
  EXPECT_TRUE(file.has("한글😀\"\\\n"));
}

TEST(SafetensorsAccepted, AHundredThousandTensors) {  // A10
  const TempDir dir;
  std::string header = "{", data(100'000, '\0');
  for (int i = 0; i < 100'000; ++i) {
    data[i] = static_cast<char>(i);
    header += entry(std::to_string(i), "U8", "[1]", text_of("[", i, ",", i + 1, "]")) +
              (i < 99'999 ? "," : "}");
  }
  const SafetensorsFile file = opened(dir, header, data);
  EXPECT_EQ(file.size(), 100'000u);
  for (const int i : {0, 1, 77'777, 99'999}) EXPECT_EQ(item(file.get(std::to_string(i))), i % 256);
}

TEST(SafetensorsAccepted, AHeaderOf99Megabytes) {  // A11
  const TempDir dir;
  const std::string a = entry("a", "U8", "[1]", "[0,1]");
  const std::string long_text(49'000'000, 'm');
  std::string header = "{\"__metadata__\":{\"k\":\"" + long_text + "\"}," + a + "}";
  header.resize(99'000'000, ' ');
  const SafetensorsFile file = opened(dir, header, "\x03");
  EXPECT_EQ(file.metadata().at("k").size(), long_text.size());
  EXPECT_EQ(item(file.get("a")), 3);
}

}  // namespace
}  // namespace jogak
