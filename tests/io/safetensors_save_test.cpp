#include <cstring>

#include "io/safetensors.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

std::string bytes_of(const Tensor& dense_on_cpu) {
  return {static_cast<const char*>(dense_on_cpu.raw()), dense_on_cpu.bytes()};
}

constexpr DType kEvery[] = {DType::f32, DType::f64, DType::bf16, DType::f16,
                            DType::i32, DType::i64, DType::u8,   DType::boolean};

TEST(SafetensorsSave, EqualsTheReferenceWriterByteForByte) {
  const std::string path = source_path("tests/goldens/io/ours.safetensors");
  const SafetensorsFile file(path);
  NamedTensors tensors;
  for (const std::string& name : file.names()) tensors.emplace_back(name, file.get(name));
  const TempDir dir;
  save_safetensors(dir / "again", tensors, file.metadata());
  EXPECT_EQ(read_file(dir / "again"), read_file(path));
}

TEST(SafetensorsSave, EveryTypeAndShapeComesBack) {
  const TempDir dir;
  NamedTensors tensors;
  for (const DType dtype : kEvery)
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{0}, Shape{3, 5}, Shape{2, 0, 4},
                               Shape{1, 2, 1, 2, 1, 2, 1, 2}}) {
      const Tensor ramp =
          dtype == DType::boolean ? full(shape, 1, dtype) : cast(randn(shape, Rng(3)), dtype);
      tensors.emplace_back(text_of(name_of(dtype), " ", shape), ramp);
    }
  save_safetensors(dir / "f", tensors, {{"b", "2"}, {"a", "한 \"글\"\n"}});
  const SafetensorsFile file(dir / "f");
  EXPECT_EQ(file.size(), tensors.size());
  EXPECT_EQ(file.metadata(), (Metadata{{"a", "한 \"글\"\n"}, {"b", "2"}}));
  for (const auto& [name, saved] : tensors) {
    const Tensor back = file.get(name);
    EXPECT_EQ(back.dtype(), saved.dtype()) << name;
    EXPECT_EQ(back.shape(), saved.shape()) << name;
    EXPECT_EQ(bytes_of(back), bytes_of(saved)) << name;
    EXPECT_TRUE(back.storage()->borrowed()) << name;  // what we write is aligned
  }
}

TEST(SafetensorsSave, NothingAtAll) {
  const TempDir dir;
  save_safetensors(dir / "f", {});
  EXPECT_EQ(read_file(dir / "f"), test::file_bytes("{}      "));
  EXPECT_EQ(SafetensorsFile(dir / "f").size(), 0u);
}

TEST(SafetensorsSave, ViewsArePacked) {
  const TempDir dir;
  const Tensor base = cast(arange(0, 12), DType::f32);
  const Tensor transposed = base.view({4, 3}, {1, 4}, 0);  // the transpose of [3, 4]
  const Tensor part = base.view({2, 2}, {4, 1}, 5);
  const Tensor late = base.view({3}, {1}, 9);
  save_safetensors(dir / "f", {{"transposed", transposed}, {"part", part}, {"late", late}});
  const SafetensorsFile file(dir / "f");
  EXPECT_EQ(to_host<int64_t>(file.get("transposed")),
            (std::vector<int64_t>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(to_host<int64_t>(file.get("part")), (std::vector<int64_t>{5, 6, 9, 10}));
  EXPECT_EQ(to_host<int64_t>(file.get("late")), (std::vector<int64_t>{9, 10, 11}));
}

// A device whose memory holds every byte inverted: reading it without asking gives nonsense.
class FarDevice final : public Device {
 public:
  FarDevice()
      : Device(Kind::deferred, "far",
               {[](size_t bytes) { return new std::byte[bytes]; },
                [](std::byte* block, size_t) { delete[] block; }}) {}
  void enqueue(std::function<void()>) override { fail<DeviceError>("no kernels here"); }
  std::unique_ptr<Event> record_event() override { return nullptr; }
  void synchronize() override {}
  void read(void* host, const std::byte* device, size_t bytes) override {
    for (size_t i = 0; i < bytes; ++i) static_cast<std::byte*>(host)[i] = ~device[i];
  }
  void write(std::byte* device, const void* host, size_t bytes) override {
    for (size_t i = 0; i < bytes; ++i) device[i] = ~static_cast<const std::byte*>(host)[i];
  }
};

TEST(SafetensorsSave, FromAnotherDeviceTheSameBytes) {
  const TempDir dir;
  FarDevice far;
  const Tensor here = randn({7, 3}, Rng(1));
  save_safetensors(dir / "here", {{"x", here}});
  save_safetensors(dir / "far", {{"x", to_device(here, far)}});
  EXPECT_EQ(read_file(dir / "here"), read_file(dir / "far"));
}

TEST(SafetensorsSave, TheOrderGivenDoesNotMatter) {
  const TempDir dir;
  NamedTensors tensors;
  for (const DType dtype : kEvery)
    for (const char* name : {"b", "a", "c"})
      tensors.emplace_back(text_of(name, ".", dtype), full({3}, 1, dtype));
  save_safetensors(dir / "first", tensors);
  std::reverse(tensors.begin(), tensors.end());
  save_safetensors(dir / "second", tensors);
  EXPECT_EQ(read_file(dir / "first"), read_file(dir / "second"));
}

TEST(SafetensorsSave, WhatCannotBeSaved) {
  const TempDir dir;
  const Tensor x = scalar(1);
  const auto save = [&](const NamedTensors& tensors) { save_safetensors(dir / "f", tensors); };
  const std::string f = dir / "f";
  expect_error<Error>([&] { save({{"", x}}); }, f + ": cannot save a tensor with an empty name");
  expect_error<Error>(
      [&] {
        save({{"__metadata__", x}});
      },
      f + ": no tensor may be called __metadata__");
  expect_error<Error>(
      [&] {
        save({{"a", x}, {"b", x}, {"a", x}});
      },
      f + ": two tensors called \"a\"");
  expect_error<Error>([&] { save({{"a", Tensor()}}); }, f + ": tensor \"a\" has no values");
  error_of<Error>([&] { save({{std::string("a\0b", 3), x}}); });
  error_of<Error>([&] { save({{"\xFF", x}}); });
  error_of<Error>([&] { save({{std::string(kMaxNameBytes + 1, 'x'), x}}); });
  EXPECT_TRUE(list_directory(dir.path()).empty());
  save({{std::string(kMaxNameBytes, 'x'), x}});
  EXPECT_EQ(SafetensorsFile(f).size(), 1u);
}

TEST(SafetensorsSave, AFileInUseIsReplacedNotChanged) {
  const TempDir dir;
  save_safetensors(dir / "f", {{"x", scalar(1)}});
  const Tensor old = SafetensorsFile(dir / "f").get("x");
  save_safetensors(dir / "f", {{"x", scalar(2)}});
  EXPECT_EQ(item(old), 1);
  EXPECT_EQ(item(SafetensorsFile(dir / "f").get("x")), 2);
}

// Random names, types, shapes and strides: what is saved comes back bit for bit.
TEST(SafetensorsSave, RandomFilesComeBack) {
  const TempDir dir;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    NamedTensors tensors;
    const auto count = static_cast<int>(rng.below(12));
    for (int i = 0; i < count; ++i) {
      Shape shape;
      for (uint64_t rank = rng.below(5); rank > 0; --rank)
        shape = shape.plus(static_cast<int64_t>(rng.below(5)));
      Tensor x = empty(shape, kEvery[rng.below(8)]);
      for (size_t b = 0; b < x.bytes(); ++b)
        x.storage()->data()[b] =
            std::byte(x.dtype() == DType::boolean ? rng.below(2) : rng.below(256));
      if (shape.rank() == 2 && rng.below(2))
        x = x.view({shape[1], shape[0]}, {1, std::max<int64_t>(shape[1], 1)}, 0);
      std::string name = std::to_string(i);
      for (uint64_t n = rng.below(8); n > 0; --n)
        name += std::vector<std::string>{
            "가", "\"", "\\", "\n", ".", "😀", "\x7f", "\x01"}[rng.below(8)];
      tensors.emplace_back(name, x);
    }
    save_safetensors(dir / "f", tensors);
    const SafetensorsFile file(dir / "f");
    ASSERT_EQ(file.size(), tensors.size());
    for (const auto& [name, saved] : tensors) {
      ASSERT_EQ(file.get(name).shape(), saved.shape()) << seed;
      ASSERT_EQ(file.get(name).dtype(), saved.dtype()) << seed;
      ASSERT_EQ(bytes_of(file.get(name)), bytes_of(dense(saved))) << seed << name;
    }
  }
}

}  // namespace
}  // namespace jogak
