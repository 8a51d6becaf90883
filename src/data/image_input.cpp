// preprocessor_config.json, as transformers' ViTImageProcessor reads and writes it, and CLIP's and
// BiT's (DINOv2), which cut the middle out of an image.
#include <cmath>

#include "data/image_data.h"

namespace jogak {
namespace {

constexpr Fields::Range kSide{1, 1 << 16};

// Where a file leaves something out.
struct Defaults {
  bool crops = false;
  int64_t side = 0;  // 0: the file must say it
  ImageFilter filter = ImageFilter::bilinear;
  std::vector<double> mean = {0.5}, deviation = {0.5};
};

// By the name of the class that wrote the file: CLIPImageProcessor, BitImageProcessor, or one that
// resizes to a fixed size.
Defaults defaults_of(const Fields& f) {
  std::string name;
  for (const char* key : {"image_processor_type", "feature_extractor_type"})
    if (name.empty() && f.has(key)) name = f.text(key);
  if (!name.starts_with("CLIP") && !name.starts_with("Bit")) return {};
  return {.crops = true,
          .side = 224,
          .filter = ImageFilter::bicubic,
          .mean = {0.48145466, 0.4578275, 0.40821073},
          .deviation = {0.26862954, 0.26130258, 0.27577711}};
}

std::vector<double> read_numbers(const Fields& f, const char* key, int64_t channels, bool positive,
                                 const std::vector<double>& otherwise) {
  if (!f.has(key)) return otherwise;
  std::vector<double> out;
  const Json& value = f.at(key);
  const auto take = [&](const Json& one) {
    if (!one.is_number() || !std::isfinite(one.number()) || (positive && one.number() <= 0))
      f.wrong(one, key, positive ? "a number above 0" : "a number");
    out.push_back(one.number());
  };
  if (value.is_number()) {
    take(value);
    return out;
  }
  for (const Json& one : f.list(key)) take(one);
  if (out.size() != 1 && static_cast<int64_t>(out.size()) != channels)
    f.wrong(value, key, text_of(channels, " numbers, one for each channel"));
  return out;
}

struct Sides {
  int64_t height = 0, width = 0, shortest = 0;
};

// A number is both sides, or the shorter one where the middle is cut out.
Sides read_sides(const Fields& f, const char* key, bool shorter) {
  if (f.at(key).is_integer()) {
    const int64_t side = f.integer(key, kSide);
    return shorter ? Sides{.shortest = side} : Sides{side, side};
  }
  const Fields size = f.object(key);
  if (shorter && size.has("shortest_edge"))
    return {.shortest = size.integer("shortest_edge", kSide)};
  if (!size.has("height") || !size.has("width"))
    f.wrong(f.at(key), key,
            shorter ? "{\"height\": .., \"width\": ..} or {\"shortest_edge\": ..}"
                    : "{\"height\": .., \"width\": ..}");
  return {size.integer("height", kSide), size.integer("width", kSide)};
}

void read_size(const Fields& f, const Defaults& usual, ImageInput& out) {
  const bool crops = f.flag_or("do_center_crop", usual.crops);
  const bool silent = usual.side > 0 && !f.has("size");
  const Sides whole = silent ? Sides{.shortest = usual.side} : read_sides(f, "size", crops);
  if (!crops) {
    if (whole.shortest > 0)
      f.wrong(f.at("do_center_crop"), "do_center_crop", "true: images of one size");
    out.height = whole.height, out.width = whole.width;
    return;
  }
  out.shortest = whole.shortest, out.whole_height = whole.height, out.whole_width = whole.width;
  const bool usual_crop = usual.side > 0 && !f.has("crop_size");
  const Sides crop = usual_crop ? Sides{usual.side, usual.side} : read_sides(f, "crop_size", false);
  out.height = crop.height, out.width = crop.width;
}

ImageFilter read_filter(const Fields& f, ImageFilter usual) {
  const int64_t code = f.integer_or("resample", static_cast<int64_t>(usual), {0, 10});
  for (const ImageFilter known :
       {ImageFilter::lanczos, ImageFilter::bilinear, ImageFilter::bicubic})
    if (code == static_cast<int64_t>(known)) return known;
  f.wrong(f.at("resample"), "resample", "1 (Lanczos), 2 (bilinear) or 3 (bicubic)");
}

}  // namespace

Json to_json(const ImageInput& in) {
  Json size = Json::object(), out = Json::object();
  size.set("height", in.height).set("width", in.width);
  const auto each = [&](const std::vector<double>& values) {
    std::vector<double> all = values;
    if (all.size() == 1) all.resize(static_cast<size_t>(in.channels), values[0]);
    return Json::list(all);
  };
  const bool crops = in.shortest > 0 || in.whole_height > 0;
  Json whole = Json::object();
  if (in.shortest > 0)
    whole.set("shortest_edge", in.shortest);
  else
    whole.set("height", in.whole_height).set("width", in.whole_width);
  out.set("image_processor_type", crops ? "CLIPImageProcessor" : "ViTImageProcessor");
  out.set("do_resize", true).set("resample", static_cast<int64_t>(in.filter));
  if (crops) out.set("do_center_crop", true).set("crop_size", size);
  out.set("size", crops ? std::move(whole) : std::move(size));
  out.set("do_rescale", true).set("rescale_factor", in.rescale).set("do_normalize", true);
  return std::move(out.set("image_mean", each(in.mean)).set("image_std", each(in.deviation)));
}

ImageInput read_image_input(const Json& json, const std::string& file, int64_t channels) {
  const Fields f(json, file);
  ImageInput out;
  out.channels = channels;
  const Defaults usual = defaults_of(f);
  read_size(f, usual, out);
  for (const char* key : {"do_pad", "do_thumbnail"})
    if (f.flag_or(key, false)) f.wrong(f.at(key), key, "false");
  out.filter = read_filter(f, usual.filter);
  out.rescale = f.flag_or("do_rescale", true) ? f.number_or("rescale_factor", 1.0 / 255) : 1;
  if (f.flag_or("do_normalize", true)) {
    out.mean = read_numbers(f, "image_mean", channels, false, usual.mean);
    out.deviation = read_numbers(f, "image_std", channels, true, usual.deviation);
  } else {
    out.mean = {0}, out.deviation = {1};
  }
  return out;
}

}  // namespace jogak
