#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "look/views.h"

namespace jogak {
namespace {

constexpr int64_t kBins = 41;
constexpr double kReach = 4.1;  // deviations to either side: a bin is 0.2 wide

struct Histogram {
  double mean = 0, deviation = 0, low = 0, high = 0;
  std::vector<double> shares = std::vector<double>(kBins);  // of the values, by bin
};

Histogram histogram_of(const Tensor& weight) {
  const StepRecord r = measured({}, weight, true);
  Histogram out{r.mean, r.deviation, r.low, r.high};
  const std::vector<float> all = to_host<float>(weight.detach());
  for (const float x : all) {
    const double place = out.deviation > 0 ? (x - out.mean) / out.deviation : 0;
    const auto bin = static_cast<int64_t>(std::floor((place + kReach) / (2 * kReach) * kBins));
    out.shares[static_cast<size_t>(std::clamp<int64_t>(bin, 0, kBins - 1))] += 1;
  }
  for (double& share : out.shares) share /= std::max<double>(1, static_cast<double>(all.size()));
  return out;
}

// "h.3.attn" is of layer 3: the first number of a name.
bool of_layer(const std::string& name, int64_t layer) {
  for (size_t at = 0; at < name.size();) {
    const size_t end = std::min(name.find('.', at), name.size());
    const std::string word = name.substr(at, end - at);
    if (!word.empty() &&
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return c >= '0' && c <= '9'; }))
      return word == std::to_string(layer);
    at = end + 1;
  }
  return false;
}

std::vector<std::string> bin_names() {
  std::vector<std::string> out;
  for (int64_t b = 0; b < kBins; ++b) {
    const double middle = (static_cast<double>(b) + 0.5) / kBins * 2 * kReach - kReach;
    const double rounded = std::round(middle * 10) / 10 + 0.0;
    out.push_back(cell_text(Json(
        std::round(rounded) == rounded ? Json(static_cast<int64_t>(rounded)) : Json(rounded))));
  }
  for (std::string& name : out)
    if (const size_t point = name.find('.'); point != std::string::npos) name.resize(point + 2);
  return out;
}

Picture spread_picture(bool ko, std::vector<Histogram> histograms, std::vector<std::string> names) {
  Picture p{.name = "weights", .title = ko ? "값의 분포" : "how the values are spread"};
  p.x_title = ko ? "평균에서 표준편차 몇 배" : "deviations from the mean";
  p.columns = bin_names();
  p.values = Matrix(static_cast<int64_t>(histograms.size()), kBins);
  for (size_t i = 0; i < histograms.size(); ++i)
    for (int64_t b = 0; b < kBins; ++b)
      p.values.at(static_cast<int64_t>(i), b) = histograms[i].shares[static_cast<size_t>(b)];
  double most = 0.05;
  for (const double share : p.values.values) most = std::max(most, share);
  p.high = std::ceil(std::min(most, 0.25) * 20) / 20;
  p.rows = std::move(names);
  if (p.values.rows == 1) {
    p.kind = Picture::Kind::bars, p.y_title = ko ? "몫" : "share";
    p.high = most;
  } else {
    p.y_title = ko ? "가중치" : "weight";
  }
  return p;
}

}  // namespace

void show_weights(const ParamStore& store, const WeightChoice& choice, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  out.title = text_of(out.model_type, ko ? ": 가중치의 분포" : ": how weights are spread");
  DataTable table{"weights", "", {"weight", "shape", "mean", "std", "min", "max"}};
  std::vector<Histogram> histograms;
  std::vector<std::string> names;
  Json counts = Json::array();
  for (const Param& p : store.all()) {
    if (!is_float(p.value.dtype()) || (choice.layer >= 0 && !of_layer(p.name, choice.layer)) ||
        !p.name.ends_with(choice.name))
      continue;
    const Histogram h = histogram_of(p.value);
    table.rows.push_back({p.name, text_of(p.value.shape()), h.mean, h.deviation, h.low, h.high});
    counts.push(Json::list(h.shares));
    if (p.value.rank() < 2 && choice.name.empty()) continue;  // vectors are in the table alone
    histograms.push_back(h);
    names.push_back(p.name);
  }
  ensure<UsageError>(!table.rows.empty(), "found no such weight; `jogak info` lists them");
  out.facts.emplace_back("histograms", std::move(counts));
  constexpr size_t kMostRows = 48;  // of a heat map that can be read
  if (histograms.size() > kMostRows) histograms.resize(kMostRows), names.resize(kMostRows);
  if (!histograms.empty())
    out.plates.push_back({spread_picture(ko, std::move(histograms), std::move(names))});
  out.tables.push_back(std::move(table));
}

}  // namespace jogak
