#include "data/image.h"

#include <map>
#include <sstream>

#include "base/file.h"
#include "io/safetensors.h"
#include "tests/data/png.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

using test::chunk;
using test::head;
using test::idat;
using test::kEnd;
using test::kSignature;
using test::png;

std::string golden(const std::string& name) { return source_path("tests/goldens/images/") + name; }

const char* const kFiles[] = {"rgb.png",     "grey.png",    "alpha.png",       "palette.png",
                              "bits.png",    "rgb.jpg",     "whole.jpg",       "grey.jpg",
                              "sixteen.png", "restart.jpg", "progressive.jpg", "quarter.jpg"};

void expect_same(const Image& found, const SafetensorsFile& file, const std::string& name) {
  const Tensor wanted = file.get(name);
  ASSERT_EQ(wanted.shape(), (Shape{found.height, found.width, found.channels})) << name;
  EXPECT_EQ(found.pixels, to_host<uint8_t>(wanted)) << name;
}

TEST(Image, PixelsAreThoseOfPillow) {
  const SafetensorsFile expected(golden("expected.safetensors"));
  for (const std::string name : kFiles) {
    const Image image = read_image(golden(name));
    expect_same(image, expected, name);
    expect_same(with_channels(image, 1), expected, name + ".grey");
    expect_same(resized(image, 7, 9), expected, name + ".7x9");
    expect_same(resized(image, 28, 28), expected, name + ".28x28");
    expect_same(resized(image, 5, 40), expected, name + ".5x40");
    expect_same(resized(image, 1, 1), expected, name + ".1x1");
  }
}

TEST(Image, OtherFiltersAreThoseOfPillow) {
  const SafetensorsFile expected(golden("expected.safetensors"));
  const Image image = read_image(golden("rgb.png"));
  const int64_t sizes[][2] = {{7, 9}, {28, 28}, {5, 40}, {1, 1}};
  for (const auto& [height, width] : sizes) {
    const std::string size = text_of(height, "x", width);
    expect_same(resized(image, height, width, ImageFilter::bicubic), expected, "bicubic." + size);
    expect_same(resized(image, height, width, ImageFilter::lanczos), expected, "lanczos." + size);
  }
}

// Which side is resized first shows in single bytes: sizes are drawn so that either may be.
TEST(Image, AnySizeIsThatOfPillow) {
  const SafetensorsFile expected(golden("expected.safetensors"));
  const std::map<std::string, ImageFilter> filters = {{"bilinear", ImageFilter::bilinear},
                                                      {"bicubic", ImageFilter::bicubic},
                                                      {"lanczos", ImageFilter::lanczos}};
  size_t seen = 0;
  for (const std::string& name : expected.names()) {
    if (!name.starts_with("drawn.")) continue;
    std::istringstream parts(name);
    std::string number, kind;
    int64_t height = 0, width = 0;
    char by = 0;
    std::getline(parts, number, '.');  // "drawn"
    std::getline(parts, number, '.');
    std::getline(parts, kind, '.');
    parts >> height >> by >> width;
    const Tensor source = expected.get("source." + number);
    const Image image{source.shape()[0], source.shape()[1], 3, to_host<uint8_t>(source)};
    expect_same(resized(image, height, width, filters.at(kind)), expected, name);
    ++seen;
  }
  EXPECT_GE(seen, 60u);
}

TEST(Image, WhatIsWrittenIsReadAgain) {
  for (const int64_t channels : {1, 3}) {
    Image image{5, 7, channels, {}};
    for (int64_t i = 0; i < 35 * channels; ++i)
      image.pixels.push_back(static_cast<uint8_t>(i * 37));
    const Image again = decode_image(encode_png(image), "made.png");
    EXPECT_EQ(again.pixels, image.pixels);
    EXPECT_EQ(again.channels, channels);
  }
  EXPECT_EQ(with_channels(Image{1, 2, 1, {3, 9}}, 3).pixels,
            (std::vector<uint8_t>{3, 3, 3, 9, 9, 9}));
}

// A TIFF head with one entry: the orientation, in either order of bytes.
std::string exif(int orientation, bool little = false) {
  const auto byte = static_cast<char>(orientation);
  if (little)
    return std::string("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18) + byte +
           std::string(7, '\0');
  return std::string("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19) + byte +
         std::string(6, '\0');
}

// What Pillow's exif_transpose makes of 1 2 3 above 4 5 6.
const std::vector<uint8_t> kTurned[] = {{1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1},
                                        {4, 5, 6, 1, 2, 3}, {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3},
                                        {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};

TEST(ImageOrientation, EightWaysToHoldACamera) {
  std::string plain = encode_png({2, 3, 1, {1, 2, 3, 4, 5, 6}});
  const size_t end = plain.size() - 12;
  for (int orientation = 1; orientation <= 8; ++orientation)
    for (const bool little : {false, true}) {
      std::string bytes = plain;
      bytes.insert(end, chunk("eXIf", exif(orientation, little)));
      const Image turned = decode_image(bytes, "x.png");
      EXPECT_EQ(turned.pixels, kTurned[orientation - 1]) << orientation;
      EXPECT_EQ(turned.height, orientation < 5 ? 2 : 3) << orientation;
    }
}

TEST(ImageOrientation, JpegAndXmpSayItToo) {
  const std::string whole = read_file(golden("whole.jpg"));
  const Image plain = decode_image(whole, "x.jpg");
  const auto with = [&](const std::string& body) {
    const auto length = static_cast<char>(body.size() + 2);
    return decode_image(std::string(whole).insert(2, std::string("\xFF\xE1\0", 3) + length + body),
                        "x.jpg");
  };
  const std::string tag = std::string("Exif\0\0", 6), xmp("http://ns.adobe.com/xap/1.0/\0", 29);
  for (const std::string& six : {tag + exif(6), xmp + "<x tiff:Orientation=\"6\"/>",
                                 xmp + "<tiff:Orientation>6</tiff:Orientation>"}) {
    const Image turned = with(six);
    ASSERT_EQ(turned.height, plain.width);
    for (int64_t y = 0; y < turned.height; ++y)
      for (int64_t x = 0; x < turned.width; ++x)
        ASSERT_EQ(
            turned.pixels[static_cast<size_t>((y * turned.width + x) * 3)],
            plain.pixels[static_cast<size_t>(((plain.height - 1 - x) * plain.width + y) * 3)]);
  }
  // Nothing that can be read turns nothing.
  for (const std::string& nothing :
       {tag, tag + "II*", tag + exif(9), tag + exif(0), tag + exif(6).substr(0, 14),
        tag + std::string("MM\0*\xFF\xFF\xFF\xFF", 8), xmp, xmp + "tiff:Orientation=\""})
    EXPECT_EQ(with(nothing).pixels, plain.pixels);
}

std::string image_refusal(const std::string& bytes) {
  const std::string message = error_of<FormatError>([&] { decode_image(bytes, "x"); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_TRUE(message.starts_with("x: byte ")) << message;
  return message;
}

void expect_refused(const std::string& bytes, const std::string& words) {
  SCOPED_TRACE(words);
  const std::string message = image_refusal(bytes);
  EXPECT_NE(message.find(words), std::string::npos) << message;
}

TEST(Image, FewBitsAPixel) {
  const auto grey = [](char depth, const std::string& row) {
    return decode_image(png({.width = 3, .height = 1, .depth = depth}, std::string(1, 0) + row),
                        "x")
        .pixels;
  };
  EXPECT_EQ(grey(1, "\xA0"), (std::vector<uint8_t>{255, 0, 255}));
  EXPECT_EQ(grey(2, "\x6C"), (std::vector<uint8_t>{85, 170, 255}));
  EXPECT_EQ(grey(4, "\x1F\x80"), (std::vector<uint8_t>{17, 255, 136}));
}

TEST(ImageErrors, OtherFormatsAreNamed) {
  expect_error<FormatError>([] { decode_image("", "x.png"); },
                            "x.png: byte 0: found nothing, wanted a PNG or JPEG image");
  expect_error<FormatError>([] { decode_image("GIF89a....", "x.png"); },
                            "x.png: byte 0: unsupported format: found a GIF file, wanted a PNG or "
                            "JPEG image");
  expect_refused("8BPS\0\1", "a PSD");
  expect_refused("#?RADIANCE\n", "an HDR");
  expect_refused("<svg xmlns=''/>", "an SVG");
  expect_refused("RIFF\1\1\1\1WEBPVP8 ", "a WebP");
  expect_refused(std::string("\0\0\2\0\0\0", 6), "other bytes");  // TGA has no magic
  expect_refused("x", "too few bytes");
}

TEST(ImageErrors, PngIsRefusedAtItsByte) {
  const std::string rows("\0ab\0cd", 6);
  EXPECT_EQ(decode_image(png({}, rows), "x").pixels, (std::vector<uint8_t>{'a', 'b', 'c', 'd'}));
  expect_refused("\x89PNG\r\r\x1A\n" + head({}) + idat(rows) + kEnd, "broken");
  std::string crc = png({}, rows);
  crc[29] ^= 1;
  expect_refused(crc, "CRC");
  expect_refused(png({.width = 0, .height = 0}, rows), "IHDR");
  expect_refused(png({.width = 0x80000000u, .height = 0x80000000u}, rows), "");
  expect_error<FormatError>(
      [&] { decode_image(png({.width = 60000, .height = 60000}, rows), "x"); },
      "x: byte 16: found an image of 60000 x 60000, over 64 Mpixel");
  const std::string cut = png({}, rows);
  for (size_t size = 8; size < cut.size(); ++size) image_refusal(cut.substr(0, size));
  expect_refused(png({}, std::string("\0ab", 3)), "Not enough");               // fewer rows
  expect_refused(png({}, rows + rows + rows), "Too much image data");          // more of them
  expect_refused(png({}, std::string("\5ab\0cd", 6)), "bad adaptive filter");  // filter type 5
  expect_refused(kSignature + head({}) + chunk("IDAT", "\x78\x01\x03\x02") + kEnd, "distance");
  expect_refused(kSignature + head({}) + "\xFF\xFF\xFF\xFFIDATabcd", "");
  expect_refused(kSignature + head({.type = 3}) + idat(rows) + kEnd, "PLTE");
  expect_refused(kSignature + head({.type = 3}) + chunk("PLTE", "rgbRGB") + idat(rows) + kEnd,
                 "palette index");
  expect_refused(kSignature + head({.type = 5}) + idat(rows) + kEnd, "IHDR");
  EXPECT_EQ(decode_image(png({.width = 1, .height = 1, .interlace = 1}, std::string("\0a", 2)), "x")
                .pixels,
            (std::vector<uint8_t>{'a'}));  // passes without a column
  EXPECT_EQ(decode_image(kSignature + head({}) + chunk("iCCP", "nonsense") +
                             chunk("eXIf", "MM\0*\0\0\0\x08") + idat(rows) + kEnd,
                         "x")
                .pixels.size(),
            4u);  // what changes no pixel may be broken
}

// The place of a marker in a JPEG file.
size_t marker(const std::string& jpeg, char code) {
  for (size_t i = 2; i + 1 < jpeg.size();) {
    EXPECT_EQ(jpeg[i], '\xFF');
    if (jpeg[i + 1] == code) return i;
    i += 2 +
         (static_cast<unsigned char>(jpeg[i + 2]) << 8 | static_cast<unsigned char>(jpeg[i + 3]));
  }
  ADD_FAILURE() << "no such marker";
  return 0;
}

std::string without(const std::string& jpeg, char code) {
  const size_t at = marker(jpeg, code);
  const size_t length = 2 + (static_cast<unsigned char>(jpeg[at + 2]) << 8 |
                             static_cast<unsigned char>(jpeg[at + 3]));
  return jpeg.substr(0, at) + jpeg.substr(at + length);
}

TEST(ImageErrors, JpegIsRefusedAtItsByte) {
  const std::string good = read_file(golden("whole.jpg"));
  const size_t frame = marker(good, '\xC0');
  expect_refused(without(good, '\xC0'), "");  // no frame: a scan before it
  std::string twice = good;
  twice.insert(frame, good.substr(frame, 19));
  expect_refused(twice, "two SOF");
  expect_refused(without(without(good, '\xDB'), '\xDB'), "Quantization table");
  const auto changed = [&](size_t at, char byte) {
    std::string out = good;
    out[at] = byte;
    return out;
  };
  expect_refused(changed(frame + 4, 12), "precision 12");  // 12-bit
  expect_refused(changed(frame + 1, '\xC9'), "arithmetic");
  expect_refused(changed(frame + 11, 0x00), "sampling");
  expect_refused(changed(frame + 11, 0x51), "sampling");
  expect_refused(changed(marker(good, '\xC4') + 5, '\xFF'), "Huffman");  // over-full table
  // A difference of 16 bits or more. The symbols stand after the counts of codes of 16 lengths.
  expect_refused(changed(marker(good, '\xC4') + 21, 0x10), "Huffman");
  std::string huge = good;
  huge.replace(frame + 5, 4, "\xFD\xE8\xFD\xE8");
  expect_refused(huge, "over 64 Mpixel");
  huge.replace(frame + 5, 4, std::string(4, '\0'));
  image_refusal(huge);
  for (size_t size = 2; size + 1 < good.size(); size += 7) image_refusal(good.substr(0, size));
  std::string restart = read_file(golden("restart.jpg"));
  const size_t at = restart.find("\xFF\xD1");
  ASSERT_NE(at, std::string::npos);
  restart[at + 1] = '\xD5';
  image_refusal(restart);
  std::string extra = good;  // an EXIF block that points to itself is not followed
  const std::string exif("Exif\0\0MM\0*\0\0\0\x08\0\1\x87\x69\0\4\0\0\0\1\0\0\0\x08", 26);
  extra.insert(2, "\xFF\xE1" + std::string{0, static_cast<char>(exif.size() + 2)} + exif);
  EXPECT_EQ(decode_image(extra, "x").pixels, decode_image(good, "x").pixels);
}

TEST(ImageErrors, ScansHaveALimit) {
  const std::string good = read_file(golden("progressive.jpg"));
  const size_t scan = marker(good, '\xDA');
  size_t end = scan + 2;  // the first scan with its data
  while (!(good[end] == '\xFF' && good[end + 1] != 0)) ++end;
  std::string many = good.substr(0, scan);
  for (int i = 0; i < 600; ++i) many += good.substr(scan, end - scan);
  image_refusal(many + good.substr(end));
}

TEST(ImageErrors, NoFlippedBitCrashes) {
  for (const char* name : {"palette.png", "progressive.jpg", "restart.jpg"}) {
    const std::string good = read_file(golden(name));
    int refused = 0;
    for (size_t bit = 0; bit < good.size() * 8; bit += 3) {
      std::string bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
      try {
        const Image image = decode_image(bad, name);
        ASSERT_EQ(static_cast<int64_t>(image.pixels.size()),
                  image.height * image.width * image.channels);
      } catch (const FormatError&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 0) << name;
  }
}

}  // namespace
}  // namespace jogak
