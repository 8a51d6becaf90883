// Images and series as inputs to look at, and labels for what has none.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/data/image_files.h"
#include "app/show/inspect_input.h"
#include "autograd/autograd.h"
#include "base/file.h"
#include "base/suggest.h"
#include "data/series_data.h"

namespace jogak {
namespace {

constexpr int64_t kMostDots = 64;  // of an image under attention, a side

// The pixels a model reads, from the darkest to the brightest.
Backdrop backdrop_of(const Tensor& pixels, int64_t patch_rows, int64_t patch_columns) {
  const int64_t C = pixels.dim(1), H = pixels.dim(2), W = pixels.dim(3);
  const std::vector<float> all = to_host<float>(pixels);
  const auto [low, high] = std::minmax_element(all.begin(), all.begin() + C * H * W);
  const double range = std::max(1e-6, double{*high} - *low);
  const auto dots = [](int64_t size, int64_t patches) {
    return patches * std::max<int64_t>(1, std::min(size, kMostDots) / patches);
  };
  Backdrop out{dots(H, patch_rows), dots(W, patch_columns)};
  for (int64_t y = 0; y < out.rows; ++y)
    for (int64_t x = 0; x < out.columns; ++x) {
      const auto part = [&](int64_t c) {
        const int64_t at = (std::min(c, C - 1) * H + y * H / out.rows) * W + x * W / out.columns;
        return static_cast<uint8_t>(
            std::lround((all[static_cast<size_t>(at)] - *low) / range * 255));
      };
      out.pixels.push_back({part(0), part(1), part(2)});
    }
  return out;
}

// Patches by row and column, behind the class token.
ImagePatches patches_of(const Model& model, const Tensor& pixels) {
  const Json* const sees = model.config.find("vision_config");  // of models that also read
  const Json* const size = (sees ? *sees : model.config).find("patch_size");
  int64_t height = 16, width = 16;
  if (size && size->is_integer()) height = width = size->integer();
  if (size && size->is_array() && size->items().size() == 2)
    height = size->items()[0].integer(), width = size->items()[1].integer();
  height = std::clamp<int64_t>(height, 1, pixels.dim(2));
  width = std::clamp<int64_t>(width, 1, pixels.dim(3));
  ImagePatches out{pixels.dim(2) / height, pixels.dim(3) / width, 1};
  out.pixels = backdrop_of(pixels, out.rows, out.columns);
  return out;
}

void scale(const std::string& directory, SeriesPanel& panel) {
  const std::string file = join_path(directory, "series.json");
  if (!file_exists(file)) return;
  const SeriesScaler scaler = read_scaler(read_json_file(file), file);
  const size_t C = panel.names.size();
  for (size_t c = 0; c < C; ++c) {
    const auto found = std::find(scaler.names.begin(), scaler.names.end(), panel.names[c]);
    ensure<FormatError>(found != scaler.names.end(), file, ": has no series named \"",
                        panel.names[c], "\"; the model learnt others");
    const auto i = static_cast<size_t>(found - scaler.names.begin());
    for (size_t at = c; at < panel.values.size(); at += C)
      panel.values[at] =
          static_cast<float>((panel.values[at] - scaler.mean[i]) / scaler.deviation[i]);
  }
}

// Rows [begin, end) as [1, rows, C], or a row for each series where the model reads one.
Tensor window(const SeriesPanel& panel, int64_t begin, int64_t end, bool apart) {
  const int64_t C = panel.columns(), T = end - begin;
  const std::vector<float> part(panel.values.begin() + begin * C, panel.values.begin() + end * C);
  const Tensor together = from_values(part, {1, T, C});
  return apart ? dense(together.view({C, T, 1}, {1, C, 1}, 0)) : together;
}

int64_t label_number(const std::string& label, const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == label) return static_cast<int64_t>(i);
  int64_t value = -1;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), value);
  ensure<UsageError>(error == std::errc() && end == label.data() + label.size() && value >= 0 &&
                         value < static_cast<int64_t>(names.size()),
                     "--label: found \"", label, "\", wanted a label of the model",
                     did_you_mean(label, names));
  return value;
}

std::vector<int64_t> largest_of_rows(const Tensor& logits) {
  const std::vector<float> all = to_host<float>(logits);
  const auto width = static_cast<size_t>(logits.dim(-1));
  std::vector<int64_t> out;
  for (size_t at = 0; at < all.size(); at += width)
    out.push_back(std::max_element(all.begin() + static_cast<ptrdiff_t>(at),
                                   all.begin() + static_cast<ptrdiff_t>(at + width)) -
                  all.begin() - static_cast<ptrdiff_t>(at));
  return out;
}

}  // namespace

InspectInput InspectSubject::from_image(const InputChoice& choice) const {
  const ImageInput wanted = image_input(directory_, model_.encoder);
  std::vector<float> values(static_cast<size_t>(wanted.values()));
  const Image image = choice.image.empty() ? decode_image(choice.image_bytes, "the image")
                                           : read_image(choice.image);
  to_model(fitted(image, wanted), wanted, values);
  InspectInput out;
  const Tensor pixels = from_values(values, {1, wanted.channels, wanted.height, wanted.width});
  out.tensors = {{"pixel_values", pixels}};
  return out;
}

InspectInput InspectSubject::from_csv(const InputChoice& choice) const {
  const std::string path = choice.csv.empty() ? "the series" : choice.csv;
  SeriesFile file =
      choice.csv.empty() ? parse_series(choice.csv_text, path) : read_series(choice.csv);
  SeriesPanel& panel = file.panels.at(0);
  const EncoderModel& m = model_.encoder;
  ensure<FormatError>(m.channels == 1 || panel.columns() == m.channels, path, ": has ",
                      panel.columns(), " series, the model was made for ", m.channels);
  ensure<FormatError>(m.from_shorter || panel.rows() >= m.context, path, ": has ", panel.rows(),
                      " rows, the model reads ", m.context);
  scale(directory_, panel);
  // Where there is enough, the last rows are what is forecast.
  const bool known = panel.rows() >= m.context + m.horizon;
  const int64_t end = panel.rows() - (known ? m.horizon : 0);
  const bool apart = m.channels == 1;
  InspectInput out;
  if (end < m.context) {  // what was before the series is not known
    const int64_t C = panel.columns(), missing = m.context - end;
    panel.values.insert(panel.values.begin(), static_cast<size_t>(missing * C), 0.0f);
    const Tensor past = window(panel, 0, m.context, apart);
    std::vector<uint8_t> seen(static_cast<size_t>(past.count()), 1);
    const int64_t each = past.dim(1) * past.dim(2);
    for (int64_t row = 0; row < past.dim(0); ++row)
      std::fill_n(seen.begin() + row * each, missing * past.dim(2), uint8_t{0});
    out.tensors = {{"past_values", past},
                   {"past_observed_mask", cast(from_values(seen, past.shape()), DType::boolean)}};
    out.names.series = panel.names;
    return out;
  }
  out.tensors = {{"past_values", window(panel, end - m.context, end, apart)}};
  if (known) out.tensors.emplace_back("future_values", window(panel, end, panel.rows(), apart));
  out.names.series = panel.names;
  return out;
}

void InspectSubject::add_labels(InspectInput& in, const InputChoice& choice) const {
  const EncoderModel& m = model_.encoder;
  const bool labels =
      model_.encodes() && (m.task == EncoderTask::classify || m.task == EncoderTask::tag ||
                           m.task == EncoderTask::answer || m.task == EncoderTask::detect);
  if (!labels || in.has("labels") || in.has("start_positions")) return;
  const NoGrad quiet;
  Run run;
  run.stop = choice.stop;
  const NamedTensors all = forward(model_, in.inputs(), run).named;
  const Tensor logits = all.at(0).second;
  if (m.task == EncoderTask::answer) {  // where it says that the answer begins and ends
    const std::pair<const char*, size_t> ends[] = {{"start_positions", 0}, {"end_positions", 1}};
    for (const auto& [name, which] : ends)
      in.tensors.emplace_back(name,
                              from_values(largest_of_rows(all.at(which).second), {logits.dim(0)}));
    return;
  }
  if (m.task == EncoderTask::detect) {
    std::vector<int64_t> replaced;
    for (const float x : to_host<float>(logits)) replaced.push_back(x > 0 ? 1 : 0);
    in.tensors.emplace_back("labels", from_values(replaced, logits.shape()));
    return;
  }
  const bool numbers =
      m.labels.problem == Problem::multi_label || m.labels.problem == Problem::regression;
  if (numbers) {  // what it says, rounded: yes or no of each label, or a whole number
    std::vector<float> said = to_host<float>(logits);
    for (float& x : said)
      x = m.labels.problem == Problem::multi_label ? (x > 0 ? 1.0f : 0.0f) : std::round(x);
    in.tensors.emplace_back("labels", from_values(said, logits.shape()));
    return;
  }
  std::vector<int64_t> said = largest_of_rows(logits);
  if (!choice.label.empty())
    std::fill(said.begin(), said.end(), label_number(choice.label, m.labels.names));
  in.tensors.emplace_back("labels", from_values(said, logits.shape().without(-1)));
}

void name_patches(const Model& model, InspectInput& in) {
  if (!in.has("pixel_values")) return;
  in.names.image = patches_of(model, in.inputs().get("pixel_values"));
  in.names.target = {"[CLS]"};
  for (int64_t r = 0; r < in.names.image.rows; ++r)
    for (int64_t c = 0; c < in.names.image.columns; ++c)
      in.names.target.push_back(text_of(r, ",", c));
}

}  // namespace jogak
