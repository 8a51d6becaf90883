#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.h"
#include "look/step_book.h"
#include "look/views.h"

namespace jogak {
namespace {

DiagramBox::Part box_part(const StepRecord& s) {
  if (s.part == Part::norm) return DiagramBox::Part::norm;
  if (s.layer < 0) return DiagramBox::Part::embedding;
  if (s.part == Part::layer) return DiagramBox::Part::other;
  if (s.name.find("encoder_attn") != std::string::npos) return DiagramBox::Part::cross;
  return s.name.find("att") != std::string::npos ? DiagramBox::Part::attention
                                                 : DiagramBox::Part::feed_forward;
}

// The residual connection that ends in the box to come: it leaves the stream where the last sum
// left it, or behind the norm of that sum where norms follow sums, or where the layer begins.
void add_skip(DiagramLane& lane, size_t first) {
  const bool norms_first = lane.boxes[first].part == DiagramBox::Part::norm;
  size_t from = first;
  if (!lane.skips.empty()) {
    from = lane.skips.back().to + 1;
    const bool norm = from < lane.boxes.size() && lane.boxes[from].part == DiagramBox::Part::norm;
    if (norm && !norms_first) ++from;
  }
  lane.skips.push_back({std::min(from, lane.boxes.size()), lane.boxes.size()});
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
  size_t firsts[2] = {SIZE_MAX, SIZE_MAX};  // the first box of the layer that is drawn
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
    if (s.layer == 0 && s.name.ends_with(".sum")) add_skip(to, firsts[lane]);
    if (s.layer == 0) firsts[lane] = std::min(firsts[lane], to.boxes.size());
    to.boxes.push_back(std::move(box));
  }
  if (two && p.links.empty())  // neither reads the other: a text beside an image
    p.lanes[0].title = ko ? "글" : "text", p.lanes[1].title = ko ? "그림" : "image";
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
  stream.rows = {ko ? "표준편차" : "std"};
  stream.high = *std::max_element(stream.values.values.begin(), stream.values.values.end());
  out.plates.push_back({std::move(stream)});
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
