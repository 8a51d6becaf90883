#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "look/alignment.h"
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

std::vector<double> softmaxed(const float* row, int64_t count) {
  const double top = *std::max_element(row, row + count);
  std::vector<double> out(static_cast<size_t>(count));
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += out[static_cast<size_t>(i)] = std::exp(row[i] - top);
  for (double& x : out) x /= sum;
  return out;
}

// What only a switch needs: the values are those of the step before, or of the layer's input.
bool repeats_another(Part part) {
  return part == Part::skip || part == Part::attention || part == Part::cross || part == Part::ffn;
}

DiagramBox::Part box_part(const StepRecord& s) {
  if (s.part == Part::norm) return DiagramBox::Part::norm;
  if (s.layer < 0) return DiagramBox::Part::embedding;
  if (s.part == Part::layer) return DiagramBox::Part::other;
  if (s.name.find("encoder_attn") != std::string::npos) return DiagramBox::Part::cross;
  return s.name.find("att") != std::string::npos ? DiagramBox::Part::attention
                                                 : DiagramBox::Part::feed_forward;
}

// Boxes from top to bottom, the encoder of an encoder-decoder beside its decoder; equal layers are
// drawn once.
Picture diagram_of_steps(const std::vector<StepRecord>& steps, bool ko) {
  Picture p{.kind = Picture::Kind::diagram, .name = "diagram"};
  p.title = ko ? "단계와 모양" : "steps and shapes";
  const bool two = std::any_of(steps.begin(), steps.end(), [](const auto& s) { return s.source; });
  int64_t layers[2] = {0, 0};
  for (const StepRecord& s : steps)
    layers[two && !s.source] = std::max(layers[two && !s.source], s.layer + 1);
  p.lanes.resize(two ? 2 : 1);
  if (two)
    p.lanes[0].title = ko ? "인코더" : "encoder", p.lanes[1].title = ko ? "디코더" : "decoder";
  for (const StepRecord& s : steps) {
    if (s.layer > 0 || repeats_another(s.part)) continue;
    const size_t lane = two && !s.source;
    DiagramLane& to = p.lanes[lane];
    DiagramBox box{box_part(s), s.name, text_of(s.shape), {}};
    const size_t cut = s.layer == 0 ? s.name.find(".0.") : std::string::npos;
    if (cut != std::string::npos) box.text = s.name.substr(cut + 3);
    if (s.layer == 0 && layers[lane] > 1) box.repeat = text_of("× ", layers[lane]);
    if (two && box.part == DiagramBox::Part::cross && p.links.empty())
      p.links.push_back({p.lanes[0].boxes.size() - 1, to.boxes.size(), ko ? "원문" : "source"});
    to.boxes.push_back(std::move(box));
  }
  return p;
}

}  // namespace

void show_steps(const std::vector<StepRecord>& steps, bool statistics, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  out.title = text_of(out.model_type,
                      statistics ? (ko ? ": 한 번의 순전파" : ": one forward pass")
                                 : (ko ? ": 단계마다의 모양" : ": the shape of every step"));
  DataTable table{statistics ? "trace" : "shapes", "", {"step", "shape"}};
  if (statistics)
    for (const char* column : {"mean", "std", "min", "max"}) table.columns.emplace_back(column);
  else
    table.columns.emplace_back("values");
  Picture stream{.kind = Picture::Kind::lines, .name = "stream"};
  for (const StepRecord& s : steps) {
    if (repeats_another(s.part)) continue;
    std::vector<Json> row = {s.name, text_of(s.shape)};
    if (statistics)
      for (const double x : {s.mean, s.deviation, s.low, s.high}) row.emplace_back(x);
    else
      row.emplace_back(s.shape.count());
    table.rows.push_back(std::move(row));
    if (s.part == Part::layer) {
      stream.values.values.push_back(s.deviation);
      stream.columns.push_back(s.name);
    }
  }
  out.tables.push_back(std::move(table));
  if (!statistics) out.plates.push_back({diagram_of_steps(steps, ko)});
  if (!statistics || stream.columns.size() < 2) return;
  stream.title = ko ? "층마다 스트림의 표준편차" : "deviation of the stream after each layer";
  stream.x_title = ko ? "층" : "layer", stream.y_title = ko ? "표준편차" : "deviation";
  stream.values.rows = 1, stream.values.columns = static_cast<int64_t>(stream.columns.size());
  stream.rows = {"std"};
  stream.high = *std::max_element(stream.values.values.begin(), stream.values.values.end());
  out.plates.push_back({std::move(stream)});
}

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

void show_lens(const std::vector<LensLayer>& layers, const TokenNames& names,
               const std::function<std::string(int64_t)>& token, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  out.title = text_of(out.model_type, ko ? ": 로짓 렌즈" : ": logit lens");
  const int64_t T = layers.back().logits.dim(0), V = layers.back().logits.dim(1);
  DataTable table{
      "lens", ko ? "층마다 가장 그럴듯한 토큰" : "the likeliest token after each layer", {"layer"}};
  Picture p{.name = "lens", .title = ko ? "마지막 답의 확률" : "probability of the final answer"};
  p.x_title = ko ? "토큰" : "token", p.y_title = ko ? "층" : "layer";
  p.values = Matrix(static_cast<int64_t>(layers.size()), T);
  for (int64_t t = 0; t < T; ++t) {
    p.columns.push_back(t < static_cast<int64_t>(names.target.size())
                            ? visible_token(names.target[static_cast<size_t>(t)])
                            : std::to_string(t));
    table.columns.push_back(p.columns.back());
  }
  std::vector<int64_t> answers(static_cast<size_t>(T));
  for (size_t i = layers.size(); i-- > 0;) {  // the last says what the answers are
    const std::vector<float> logits = to_host<float>(layers[i].logits);
    std::vector<Json> row = {layers[i].name};
    for (int64_t t = 0; t < T; ++t) {
      const auto shares = softmaxed(logits.data() + t * V, V);
      const auto best = std::max_element(shares.begin(), shares.end()) - shares.begin();
      if (i + 1 == layers.size()) answers[static_cast<size_t>(t)] = best;
      row.emplace_back(visible_token(token(best)));
      p.values.at(static_cast<int64_t>(i), t) =
          shares[static_cast<size_t>(answers[static_cast<size_t>(t)])];
    }
    table.rows.insert(table.rows.begin(), std::move(row));
    p.rows.insert(p.rows.begin(), layers[i].name);
  }
  out.plates.push_back({std::move(p)});
  out.tables.push_back(std::move(table));
}

void show_gradients(const std::vector<LayerGradient>& layers, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  out.title = text_of(out.model_type, ko ? ": 층마다 기울기의 크기" : ": gradient norm by layer");
  DataTable table{"gradients", "", {"layer", "stream", "weights"}};
  Picture p{.kind = Picture::Kind::bars, .name = "gradients"};
  p.title = ko ? "기울기의 노름" : "norm of the gradient";
  p.x_title = ko ? "층" : "layer", p.y_title = ko ? "노름" : "norm";
  p.rows = {ko ? "층을 나온 값" : "of what leaves the layer",
            ko ? "층의 가중치" : "of the layer's weights"};
  p.values = Matrix(2, static_cast<int64_t>(layers.size()));
  p.high = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    table.rows.push_back({layers[i].name, layers[i].stream, layers[i].weights});
    p.columns.push_back(layers[i].name);
    p.values.at(0, static_cast<int64_t>(i)) = layers[i].stream;
    p.values.at(1, static_cast<int64_t>(i)) = layers[i].weights;
    p.high = std::max({p.high, layers[i].stream, layers[i].weights});
  }
  out.plates.push_back({std::move(p)});
  out.tables.push_back(std::move(table));
}

}  // namespace jogak
