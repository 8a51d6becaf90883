// preprocessor_config.json, as transformers' ViTImageProcessor reads and writes it.
#include <cmath>

#include "data/image_data.h"

namespace jogak {
namespace {

constexpr int kBilinear = 2;
constexpr Fields::Range kSide{1, 1 << 16};

std::vector<double> read_numbers(const Fields& f, const char* key, int64_t channels,
                                 bool positive) {
  if (!f.has(key)) return {0.5};
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

void read_size(const Fields& f, ImageInput& out) {
  if (f.at("size").is_integer()) {
    out.height = out.width = f.integer("size", kSide);
    return;
  }
  const Fields size = f.object("size");
  if (!size.has("height") || !size.has("width"))
    f.wrong(f.at("size"), "size", "{\"height\": .., \"width\": ..}");
  out.height = size.integer("height", kSide);
  out.width = size.integer("width", kSide);
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
  out.set("image_processor_type", "ViTImageProcessor");
  out.set("do_resize", true).set("size", std::move(size)).set("resample", kBilinear);
  out.set("do_rescale", true).set("rescale_factor", in.rescale).set("do_normalize", true);
  return std::move(out.set("image_mean", each(in.mean)).set("image_std", each(in.deviation)));
}

ImageInput read_image_input(const Json& json, const std::string& file, int64_t channels) {
  const Fields f(json, file);
  ImageInput out;
  out.channels = channels;
  read_size(f, out);
  for (const char* key : {"do_center_crop", "do_pad", "do_thumbnail"})
    if (f.flag_or(key, false)) f.wrong(f.at(key), key, "false");
  if (f.integer_or("resample", kBilinear, {0, 10}) != kBilinear)
    f.wrong(f.at("resample"), "resample", "2: images are resized bilinearly");
  out.rescale = f.flag_or("do_rescale", true) ? f.number_or("rescale_factor", 1.0 / 255) : 1;
  if (f.flag_or("do_normalize", true)) {
    out.mean = read_numbers(f, "image_mean", channels, false);
    out.deviation = read_numbers(f, "image_std", channels, true);
  } else {
    out.mean = {0}, out.deviation = {1};
  }
  return out;
}

}  // namespace jogak
