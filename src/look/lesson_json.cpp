#include "look/explain.h"
#include "look/inspection.h"

namespace jogak {
namespace {

Json rows_of(const Matrix& m) {
  Json out = Json::array();
  for (int64_t i = 0; i < m.rows; ++i) out.push(Json::list(m.row(i)));  // -infinity becomes null
  return out;
}

Json shape_of(const Matrix& m) { return Json::array({Json(m.rows), Json(m.columns)}); }

Json to_json(const Table& table) {
  Json out = Json::object();
  out.set("name", table.name).set("caption", table.caption).set("shape", shape_of(table.values));
  out.set("rows", Json::list(table.rows)).set("columns", Json::list(table.columns));
  if (!table.rule.empty()) out.set("rule", table.rule);
  return out.set("values", rows_of(table.values));
}

Json to_json(const Step& step) {
  Json tables = Json::array();
  for (const Table& table : step.tables) tables.push(to_json(table));
  Json out = Json::object();
  out.set("name", step.name).set("title", step.title).set("text", step.text);
  out.set("formula", step.formula).set("shape", step.shape);
  return out.set("work", Json::list(step.work)).set("tables", std::move(tables));
}

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
    Json one = Json::object();
    lanes.push(std::move(one.set("title", lane.title).set("boxes", std::move(boxes))));
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

Json picture_json(const Picture& picture) {
  constexpr const char* kKinds[] = {"heatmap", "bars", "lines", "diagram"};
  Json out = Json::object();
  out.set("kind", kKinds[static_cast<size_t>(picture.kind)]).set("name", picture.name);
  out.set("title", picture.title).set("x_title", picture.x_title).set("y_title", picture.y_title);
  if (picture.kind == Picture::Kind::diagram)
    return out.set("lanes", lanes_json(picture)).set("links", links_json(picture));
  out.set("low", picture.low).set("high", picture.high).set("diverging", picture.diverging);
  out.set("rows", Json::list(picture.rows)).set("columns", Json::list(picture.columns));
  return out.set("values", rows_of(picture.values));
}

Json to_json(const Lesson& lesson) {
  Json inputs = Json::object(), steps = Json::array(), pictures = Json::array();
  for (const auto& [name, value] : lesson.inputs) inputs.set(name, rows_of(value));
  for (const Step& step : lesson.steps) steps.push(to_json(step));
  for (const Picture& picture : lesson.pictures) pictures.push(picture_json(picture));
  Json out = Json::object();
  out.set("schema", 1).set("topic", lesson.topic).set("title", lesson.title);
  out.set("level", level_name(lesson.level)).set("lang", lang_code(lesson.lang));
  out.set("causal", lesson.causal).set("inputs", std::move(inputs));
  out.set("steps", std::move(steps)).set("pictures", std::move(pictures));
  Json code = Json::object();
  code.set("numpy", lesson.numpy).set("pytorch", lesson.pytorch);
  return out.set("code", std::move(code));
}

}  // namespace jogak
