#include "explain/explain.h"

namespace jogak {
namespace {

Json shape_of(const Matrix& m) { return Json::array({Json(m.rows), Json(m.columns)}); }

Json to_json(const Table& table) {
  Json out = Json::object();
  out.set("name", table.name).set("caption", table.caption).set("shape", shape_of(table.values));
  out.set("rows", Json::list(table.rows)).set("columns", Json::list(table.columns));
  if (!table.rule.empty()) out.set("rule", table.rule);
  return out.set("values", rows_json(table.values));
}

Json to_json(const Step& step) {
  Json tables = Json::array();
  for (const Table& table : step.tables) tables.push(to_json(table));
  Json out = Json::object();
  out.set("name", step.name).set("title", step.title).set("text", step.text);
  out.set("formula", step.formula).set("shape", step.shape);
  out.set("work", Json::list(step.work));
  if (!step.code.empty()) out.set("code", Json::list(step.code));
  return out.set("tables", std::move(tables));
}

}  // namespace

Json to_json(const Lesson& lesson) {
  Json inputs = Json::object(), steps = Json::array(), pictures = Json::array();
  for (const auto& [name, value] : lesson.inputs) inputs.set(name, rows_json(value));
  for (const Step& step : lesson.steps) steps.push(to_json(step));
  for (const Picture& picture : lesson.pictures) pictures.push(picture_json(picture));
  Json out = Json::object();
  out.set("schema", 1).set("topic", lesson.topic).set("title", lesson.title);
  out.set("level", level_name(lesson.level)).set("lang", lang_code(lesson.lang));
  out.set("causal", lesson.causal).set("inputs", std::move(inputs));
  out.set("steps", std::move(steps)).set("pictures", std::move(pictures));
  Json code = Json::object();
  code.set("numpy", lesson.numpy).set("pytorch", lesson.pytorch);
  out.set("code", std::move(code));
  return out.set("studies", Json::list(lesson.studies));
}

}  // namespace jogak
