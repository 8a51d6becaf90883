#include "draw/picture.h"

#include <utility>

namespace jogak {
namespace {

Json lanes_json(const Picture& picture) {
  constexpr const char* kParts[] = {"embedding",    "attention", "cross",
                                    "feed_forward", "norm",      "other"};
  Json lanes = Json::array();
  for (const DiagramLane& lane : picture.lanes) {
    Json boxes = Json::array();
    for (const DiagramBox& box : lane.boxes) {
      Json one = Json::object();
      one.set("part", kParts[static_cast<size_t>(box.part)]).set("text", box.text);
      boxes.push(std::move(one.set("note", box.note).set("repeat", box.repeat)));
    }
    Json one = Json::object(), skips = Json::array();
    for (const DiagramSkip& skip : lane.skips)
      skips.push(Json::list(
          std::vector<int64_t>{static_cast<int64_t>(skip.from), static_cast<int64_t>(skip.to)}));
    one.set("title", lane.title).set("boxes", std::move(boxes));
    lanes.push(std::move(one.set("skips", std::move(skips))));
  }
  return lanes;
}

Json links_json(const Picture& picture) {
  Json links = Json::array();
  for (const DiagramLink& link : picture.links) {
    Json one = Json::object();
    one.set("from", static_cast<int64_t>(link.from)).set("to", static_cast<int64_t>(link.to));
    links.push(std::move(one.set("text", link.text)));
  }
  return links;
}

}  // namespace

Json rows_json(const Matrix& m) {
  Json out = Json::array();
  for (int64_t i = 0; i < m.rows; ++i) out.push(Json::list(m.row(i)));  // -infinity becomes null
  return out;
}

Json picture_json(const Picture& picture) {
  constexpr const char* kKinds[] = {"heatmap", "bars", "lines", "diagram"};
  Json out = Json::object();
  out.set("kind", kKinds[static_cast<size_t>(picture.kind)]).set("name", picture.name);
  out.set("title", picture.title).set("x_title", picture.x_title).set("y_title", picture.y_title);
  if (picture.kind == Picture::Kind::diagram)
    return out.set("lanes", lanes_json(picture)).set("links", links_json(picture));
  out.set("low", picture.low).set("high", picture.high).set("diverging", picture.diverging);
  out.set("rows", Json::list(picture.rows)).set("columns", Json::list(picture.columns));
  return out.set("values", rows_json(picture.values));
}

Picture transposed(const Picture& heatmap) {
  Picture out = heatmap;
  out.values = transposed(heatmap.values);
  std::swap(out.rows, out.columns);
  std::swap(out.x_title, out.y_title);
  return out;
}

}  // namespace jogak
