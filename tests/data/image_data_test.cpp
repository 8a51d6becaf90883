#include "data/image_data.h"

#include "base/file.h"
#include "data/idx_file.h"
#include "data/make/shapes.h"
#include "io/safetensors.h"
#include "tests/data/files.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

using test::write_plain;

ImageInput small_input(int64_t channels = 1) {
  ImageInput in;
  in.height = 2, in.width = 3, in.channels = channels;
  return in;
}

std::string flat(uint8_t value, int64_t height = 4, int64_t width = 6) {
  return encode_png({height, width, 1, std::vector<uint8_t>(height * width, value)});
}

TEST(ImageSet, AFolderForEachClass) {
  const TempDir dir;
  for (const char* name : {"dog", "cat"}) make_directories(dir / name);
  write_plain(dir / "dog/a.png", flat(255));
  write_plain(dir / "cat/b.PNG", flat(0, 1, 1));  // one pixel becomes as many as are wanted
  write_plain(dir / "cat/c.png", flat(51));
  write_plain(dir / "cat/notes.txt", "not an image");
  const ImageSet set = ImageSet::from_folders(dir.path(), small_input());
  EXPECT_EQ(set.classes(), (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(set.labels(), (std::vector<int64_t>{0, 0, 1}));
  const ImageBatch batch = set.eval_batch(0, 9);
  EXPECT_EQ(batch.pixels.shape(), (Shape{3, 1, 2, 3}));
  const auto values = to_host<float>(batch.pixels);
  EXPECT_FLOAT_EQ(values[0], -1);
  EXPECT_FLOAT_EQ(values[6], -0.6f);
  EXPECT_FLOAT_EQ(values[12], 1);
  EXPECT_EQ(set.some({2, 0}).labels(), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(ImageSet::from_folders(dir.path(), small_input(), {"x", "dog", "cat"}).labels(),
            (std::vector<int64_t>{2, 2, 1}));
  EXPECT_NE(error_of<FormatError>([&] {
              ImageSet::from_folders(dir.path(), small_input(), {"cat"});
            }).find("found a folder \"dog\", wanted one of the 1 classes"),
            std::string::npos);
  EXPECT_NE(error_of<FormatError>([&] {
              ImageSet::from_folders(dir / "dog", small_input());
            }).find("found images, wanted a folder for each class"),
            std::string::npos);
  make_directories(dir / "none/one");
  error_of<FormatError>([&] { ImageSet::from_folders(dir / "none", small_input()); });
  write_plain(dir / "none/one/bad.png", "GIF89a..");
  EXPECT_NE(error_of<FormatError>([&] {
              ImageSet::from_folders(dir / "none", small_input());
            }).find("bad.png: byte 0: unsupported format"),
            std::string::npos);
}

TEST(ImageSet, IdxFilesAsMnistHasThem) {
  const TempDir dir;
  const IdxFile images{{2, 2, 3}, {0, 51, 102, 153, 204, 255, 255, 0, 255, 0, 255, 0}};
  write_plain(dir / "train-images-idx3-ubyte", idx_bytes(images));
  write_plain(dir / "train-labels-idx1-ubyte", idx_bytes({{2}, {3, 0}}));
  const std::string path = dir / "train-images-idx3-ubyte";
  const ImageSet set = ImageSet::from_idx(path, idx_labels_beside(path), small_input());
  EXPECT_EQ(set.classes(), (std::vector<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(set.labels(), (std::vector<int64_t>{3, 0}));
  const auto values = to_host<float>(set.eval_batch(0, 1).pixels);
  for (size_t i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(values[i], -1 + 0.4f * static_cast<float>(i));
  error_of<FormatError>([&] {
    ImageSet::from_idx(path, idx_labels_beside(path), small_input(), {"a", "b"});
  });
  write_plain(dir / "one", idx_bytes({{1}, {3}}));
  EXPECT_NE(error_of<FormatError>([&] {
              ImageSet::from_idx(path, dir / "one", small_input());
            }).find("found 1 labels, wanted 2"),
            std::string::npos);
  error_of<FormatError>([&] { ImageSet::from_idx(dir / "one", dir / "one", small_input()); });
  EXPECT_EQ(idx_labels_beside("a-images/t10k-images-idx3-ubyte.gz"),
            "a-images/t10k-labels-idx1-ubyte.gz");
  error_of<UsageError>([] { idx_labels_beside("images/x.gz"); });
}

TEST(IdxErrors, EachNamesItsByte) {
  const std::string good = idx_bytes({{2, 3}, {1, 2, 3, 4, 5, 6}});
  EXPECT_EQ(parse_idx(good, "i").values.size(), 6u);
  for (size_t size = 0; size < good.size(); ++size)
    error_of<FormatError>([&] { parse_idx(good.substr(0, size), "i"); });
  error_of<FormatError>([&] { parse_idx(good + "x", "i"); });
  const auto changed = [&](size_t at, char byte) {
    std::string out = good;
    out[at] = byte;
    return error_of<FormatError>([&] { parse_idx(out, "i"); });
  };
  EXPECT_EQ(changed(2, 0x0D), "i: byte 2: found values of type 13, wanted 8, unsigned bytes");
  EXPECT_EQ(changed(3, 0), "i: byte 3: found 0 sides, wanted 1 to 8");
  EXPECT_EQ(changed(0, 1), "i: byte 0: found other bytes, wanted two zeros that begin an IDX file");
  const std::string bomb = std::string("\0\0\x08\3", 4) + std::string(12, '\xFF');
  EXPECT_NE(error_of<FormatError>([&] { parse_idx(bomb, "i"); }).find("over 8589934592 bytes"),
            std::string::npos);
}

// The golden's names: the shorter side, then what is cut out of the middle.
TEST(ImageInput, CutsTheMiddleOutAsClipDoes) {
  const std::string folder = source_path("tests/goldens/images");
  const SafetensorsFile expected(folder + "/expected.safetensors");
  const Image image = read_image(folder + "/rgb.png");
  const int64_t sizes[][3] = {{16, 16, 16}, {12, 7, 10}, {40, 33, 21}, {9, 14, 15}};
  for (const auto& [shortest, height, width] : sizes) {
    const ImageInput in = read_image_input(
        parse_json(
            text_of("{\"image_processor_type\": \"CLIPImageProcessor\", \"size\": ", shortest,
                    ", \"crop_size\": {\"height\": ", height, ", \"width\": ", width, "}}"),
            "p"),
        "p", 3);
    const std::string name = text_of(shortest, "-", height, "x", width);
    EXPECT_EQ(fitted(image, in), to_host<uint8_t>(expected.get(name))) << name;
    const ImageInput again = read_image_input(parse_json(to_json(in).dump(), "p"), "p", 3);
    EXPECT_EQ(fitted(image, again), fitted(image, in)) << name;
  }
}

TEST(ImageInput, IsKeptAsTransformersHasIt) {
  ImageInput in = small_input(3);
  in.mean = {0.1, 0.2, 0.3}, in.deviation = {0.5};
  const ImageInput again = read_image_input(parse_json(to_json(in).dump(), "p"), "p", 3);
  EXPECT_EQ(again.height, 2);
  EXPECT_EQ(again.width, 3);
  EXPECT_EQ(again.mean, in.mean);
  EXPECT_EQ(again.deviation, (std::vector<double>{0.5, 0.5, 0.5}));
  const auto read = [](const char* json) {
    return read_image_input(parse_json(json, "p"), "p", 3);
  };
  EXPECT_EQ(read("{\"size\": 224}").height, 224);
  EXPECT_EQ(read("{\"size\": 8, \"do_normalize\": false}").mean[0], 0);
  EXPECT_EQ(read("{\"size\": 8, \"do_rescale\": false}").rescale, 1);
  for (const char* bad :
       {"{}", "{\"size\": 0}", "{\"size\": {\"shortest_edge\": 9}}",
        "{\"size\": 8, \"resample\": 0}", "{\"size\": 8, \"do_center_crop\": true}",
        "{\"image_processor_type\": \"CLIPImageProcessor\", \"do_center_crop\": false}",
        "{\"size\": 8, \"image_mean\": [1, 2]}", "{\"size\": 8, \"image_std\": [1, 0, 1]}"})
    EXPECT_THROW(read(bad), FileError) << bad;
  Image image{1, 1, 3, {255, 0, 51}};
  std::vector<float> out(18);
  to_model(fitted(image, in), in, out);
  EXPECT_FLOAT_EQ(out[0], 1.8f);
  EXPECT_FLOAT_EQ(out[6], -0.4f);
  EXPECT_FLOAT_EQ(out[12], -0.2f);
}

TEST(MakeShapes, TheSameForTheSameSeed) {
  const ShapePicture a = make_shape(4, 1, Split::train);
  EXPECT_EQ(a.label, 1);
  EXPECT_EQ(a.image.pixels.size(), 784u);
  EXPECT_EQ(make_shape(4, 1, Split::train).image.pixels, a.image.pixels);
  EXPECT_NE(make_shape(4, 2, Split::train).image.pixels, a.image.pixels);
  EXPECT_NE(make_shape(4, 1, Split::held_out).image.pixels, a.image.pixels);
}

}  // namespace
}  // namespace jogak
