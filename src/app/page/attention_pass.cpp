#include "app/page/attention_pass.h"

#include <algorithm>
#include <cmath>

#include "app/page/watch.h"
#include "base/hash/base64.h"
#include "base/parallel.h"
#include "data/image.h"

namespace jogak {
namespace {

// The image as the model sees it, resized and cut, in grey: a PNG in base64.
std::string seen_image(const Tensor& pixels) {  // [1, channels, height, width]
  const int64_t C = pixels.dim(1), H = pixels.dim(2), W = pixels.dim(3);
  const std::vector<float> values = to_host<float>(pixels);
  std::vector<float> grey(static_cast<size_t>(H * W), 0.0f);
  for (size_t i = 0; i < grey.size() * static_cast<size_t>(C); ++i)
    grey[i % grey.size()] += values[i];
  const auto [low, high] = std::minmax_element(grey.begin(), grey.end());
  const float span = *high - *low > 0 ? *high - *low : 1.0f;
  Image image{.height = H, .width = W, .pixels = {}};
  for (const float x : grey)
    image.pixels.push_back(static_cast<uint8_t>(std::lround(255 * (x - *low) / span)));
  return encode_base64(encode_png(image));
}

// Where the patches of an image or of a series lie, so that they can be drawn on it.
void tell_patches(const Model& model, const InspectInput& input, Json& facts) {
  const ForwardInputs inputs = input.inputs();
  if (inputs.has("pixel_values") && !input.names.target.empty()) {
    const std::string& last = input.names.target.back();  // "row,column"
    const size_t comma = last.find(',');
    const int64_t count = static_cast<int64_t>(input.names.target.size()) - 1;
    int64_t rows = 1;
    if (comma != std::string::npos) {
      rows = 0;
      for (const char c : last.substr(0, comma)) rows = rows * 10 + (c - '0');
      ++rows;
    }
    Json image = Json::object();
    image.set("rows", rows).set("columns", count / std::max<int64_t>(rows, 1));
    facts.set("image", image.set("seen", seen_image(inputs.get("pixel_values"))));
  }
  if (!inputs.has("past_values")) return;
  const Tensor past = inputs.get("past_values");  // [1, T, C], or a row for each series
  const bool apart = past.dim(0) > 1 || past.dim(2) == 1;
  const std::vector<float> values = to_host<float>(past);
  const int64_t T = past.dim(1), C = apart ? past.dim(0) : past.dim(2);
  Json series = Json::object(), lines = Json::array();
  for (int64_t c = 0; c < C; ++c) {
    Json line = Json::array();
    for (int64_t t = 0; t < T; ++t)
      line.push(double{values[static_cast<size_t>(apart ? c * T + t : t * C + c)]});
    lines.push(std::move(line));
  }
  for (const char* key : {"patch_length", "patch_stride"})
    if (const Json* found = model.config.find(key)) series.set(key, *found);
  const Json* const cls = model.config.find("use_cls_token");
  series.set("class_token", cls && cls->is_bool() && cls->boolean());
  series.set("names", Json::list(input.names.series)).set("values", std::move(lines));
  facts.set("series", std::move(series));
}

}  // namespace

AttentionPass::AttentionPass(const InspectSubject& subject, const PassQuestion& question) {
  const InspectInput input = subject.input(question.input);
  watch(subject, input, question, book_);
  facts_.set("model_type", subject.model().model_type);
  tell_tokens(subject, input.names, facts_);
  tell_patches(subject.model(), input, facts_);
  for (size_t i = 0; i < book_.given.size(); ++i) {
    const AttentionBook::Given& given = book_.given[i];
    const auto same = [&](const Kind& kind) { return kind.name == given.kind; };
    auto found = std::find_if(kinds_.begin(), kinds_.end(), same);
    if (found == kinds_.end()) {
      found = kinds_.insert(kinds_.end(), Kind{.name = given.kind});
      found->heads = given.heads(), found->queries = given.queries();
      found->rows = given.q.dim(0), found->row = question.row < found->rows ? question.row : 0;
      found->keys = given.keys(), found->causal = given.options.causal;
    }
    found->given.push_back(i);
  }
  ensure<UsageError>(!kinds_.empty(), "this model has no attention layers");
  int64_t rows = 0;
  for (const Kind& kind : kinds_) rows = std::max(rows, kind.rows);
  ensure<UsageError>(question.row >= 0 && question.row < rows, "row: found ", question.row,
                     ", wanted 0 to ", rows - 1);
  for (Kind& kind : kinds_) measure(kind, question.stop);
}

void AttentionPass::measure(Kind& kind, const std::atomic<bool>* stop) const {
  const auto count = static_cast<int64_t>(kind.given.size()) * kind.heads;
  std::vector<Thumbnail> small(static_cast<size_t>(count));
  parallel_for(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      ensure<Stopped>(!stop || !stop->load(), "stopped");
      const auto& given = book_.given[kind.given[static_cast<size_t>(i / kind.heads)]];
      small[static_cast<size_t>(i)] =
          thumbnail(given.head(kind.row, i % kind.heads), kThumbnailSide);
    }
  });
  Tile& all = kind.thumbnails;
  for (const auto& [one, high] : small) {
    kind.high.push_back(high);
    all.width = one.width, all.height = one.height;
    all.bytes.insert(all.bytes.end(), one.bytes.begin(), one.bytes.end());
  }
}

Json AttentionPass::json() const {
  Json kinds = Json::array();
  for (const Kind& kind : kinds_) {
    Json one = Json::object(), high = Json::array(), layers = Json::array();
    for (size_t i = 0; i < kind.given.size(); ++i) {
      Json line = Json::array();
      for (int64_t h = 0; h < kind.heads; ++h)
        line.push(double{kind.high[i * static_cast<size_t>(kind.heads) + static_cast<size_t>(h)]});
      high.push(std::move(line));
    }
    one.set("kind", kind.name).set("layers", kind.given.size()).set("heads", kind.heads);
    one.set("queries", kind.queries).set("keys", kind.keys).set("causal", kind.causal);
    one.set("rows", kind.rows).set("row", kind.row);
    kinds.push(std::move(one.set("high", std::move(high))));
  }
  Json out = facts_;
  return std::move(out.set("kinds", std::move(kinds)));
}

size_t AttentionPass::bytes() const { return book_.bytes(); }

const AttentionPass::Kind& AttentionPass::kind(const std::string& name) const {
  for (const Kind& kind : kinds_)
    if (kind.name == name) return kind;
  fail<UsageError>("kind: found \"", name, "\", this model has others");
}

const AttentionBook::Given& AttentionPass::given(const Head& head) const {
  const Kind& of = kind(head.kind);
  ensure<UsageError>(head.layer >= 0 && head.layer < static_cast<int64_t>(of.given.size()),
                     "layer: found ", head.layer, ", the model has ", of.given.size(),
                     " layers, counted from 0");
  ensure<UsageError>(head.head >= 0 && head.head < of.heads, "head: found ", head.head,
                     ", the layer has ", of.heads, " heads, counted from 0");
  return book_.given[of.given[static_cast<size_t>(head.layer)]];
}

std::shared_ptr<const HeadWeights> AttentionPass::weights(const Head& head) const {
  const AttentionBook::Given& of = given(head);
  const std::string name = text_of(head.kind, " ", head.layer, " ", head.head);
  auto out = lately_.find(name);
  if (out) return out;
  out = std::make_shared<const HeadWeights>(of.head(kind(head.kind).row, head.head));
  lately_.add(name, out, out->owner.bytes());
  return out;
}

float AttentionPass::high(const Head& head) const {
  const Kind& of = kind(head.kind);
  return of.high[static_cast<size_t>(head.layer * of.heads + head.head)];
}

Tile AttentionPass::thumbnails(const std::string& name) const { return kind(name).thumbnails; }

Tile AttentionPass::tile(const Head& head, const TilePlace& place) const {
  return jogak::tile(*weights(head), place, high(head));
}

Json AttentionPass::links(const Head& head, int64_t count, int64_t query) const {
  Json list = Json::array();
  for (const Link& link : strongest(*weights(head), count, query))
    list.push(Json::array({Json(link.query), Json(link.key), Json(double{link.weight})}));
  return Json::object({{"links", std::move(list)}});
}

Json AttentionPass::cell(const Head& head, int64_t query, int64_t key) const {
  const CellMath m = cell_math(given(head), kind(head.kind).row, head.head, query, key);
  Json out = Json::object();
  out.set("query", query).set("key", key).set("q", Json::list(m.q)).set("k", Json::list(m.k));
  out.set("dot", m.dot).set("scale", m.scale).set("cap", m.cap).set("bias", m.bias);
  out.set("score", m.score).set("masked", m.masked).set("most", m.most).set("sum", m.sum);
  out.set("softmax", m.weight);
  return std::move(out.set("weight", double{weights(head)->at(query, key)}));
}

Json AttentionPass::line(const Head& head, int64_t query, int64_t key) const {
  ensure<UsageError>((query >= 0) != (key >= 0), "wanted a query or a key");
  const std::shared_ptr<const HeadWeights> h = weights(head);
  ensure<UsageError>(query < h->queries && key < h->keys, "found ", std::max(query, key),
                     ", the head has ", h->queries, " queries and ", h->keys, " keys");
  Json values = Json::array();
  for (int64_t i = 0; i < (query >= 0 ? h->keys : h->queries); ++i)
    values.push(double{query >= 0 ? h->at(query, i) : h->at(i, key)});
  return Json::object({{"values", std::move(values)}, {"high", Json(double{high(head)})}});
}

}  // namespace jogak
