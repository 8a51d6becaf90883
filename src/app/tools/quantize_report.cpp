#include <algorithm>

#include "app/tools/quantize_report.h"
#include "base/format.h"

namespace jogak {
namespace {

Json wide_json(const WideLayers& wide) {
  Json out = Json::object();
  out.set("names", Json::list(wide.names)).set("kept", wide.kept);
  out.set("least", wide.least).set("median", wide.median);
  out.set("distance", wide.distance).set("distance_wide", wide.wide);
  return std::move(out.set("bytes", wide.bytes).set("bytes_wide", wide.wide_bytes));
}

std::string percent(double share) { return fixed(100 * share, 2) + " %"; }

// Which layers were tried in 8 bits, and why they are so or are not.
std::string wide_lines(const WideLayers& wide, bool ko) {
  std::string names;
  for (const std::string& name : wide.names) names += "\n    " + name;
  const double growth = static_cast<double>(wide.wide_bytes) / static_cast<double>(wide.bytes) - 1;
  const std::string gain = text_of(fixed(wide.distance, 6), " -> ", fixed(wide.wide, 6));
  if (ko)
    return text_of("  8비트로 ", wide.kept ? "남긴" : "해 보았으나 4비트로 둔", " 층 (출력 오차 ",
                   percent(wide.least), " 이상, 중앙값 ", percent(wide.median), "; 답의 거리 ",
                   gain, ", 크기 +", percent(growth), "):", names, "\n");
  return text_of("  ", wide.kept ? "kept in 8 bits" : "tried in 8 bits, which did not pay",
                 " (outputs off by ", percent(wide.least), " or more, the median is ",
                 percent(wide.median), "; distance of the answers ", gain, ", size +",
                 percent(growth), "):", names, "\n");
}

std::string layer_line(const QuantizedLayer& layer, bool ko) {
  std::string out = text_of("    ", percent(layer.output.value_or(layer.error)));
  if (layer.output)
    out += text_of(ko ? " (가장 가까운 수로는 " : " (to nearest ", percent(*layer.nearest), ")");
  return text_of(out, "  ", layer.bits, ko ? "비트  " : " bits  ", layer.name, "\n");
}

}  // namespace

Json to_json(const QuantizeReport& r) {
  Json out = Json::object(), layers = Json::array();
  const auto set = [&](const char* key, const std::optional<double>& value) {
    out.set(key, value ? Json(*value) : Json());
  };
  out.set("schema", 1).set("model_type", r.model_type).set("type", r.type).set("group", r.group);
  out.set("values", r.values);
  if (r.finer) out.set("output_error_values_16", r.finer->error);
  out.set("bytes_before", r.bytes_before).set("bytes_after", r.bytes_after);
  set("loss_before", r.loss_before);
  set("loss_after", r.loss_after);
  out.set("measured_on", r.measured_on).set("output_error", r.divergence.error);
  set("kl", r.divergence.kl);
  set("equal_first", r.divergence.first);
  out.set("wide", r.wide.names.empty() ? Json() : wide_json(r.wide));
  for (const QuantizedLayer& layer : r.layers) {
    Json one = Json::object();
    one.set("name", layer.name).set("bits", layer.bits).set("error", layer.error);
    if (layer.output) one.set("output_error", *layer.output);
    if (layer.nearest) one.set("output_error_nearest", *layer.nearest);
    layers.push(std::move(one));
  }
  return std::move(out.set("layers", layers));
}

std::string quantize_table(const QuantizeReport& r, Lang lang) {
  constexpr size_t kWorst = 5;
  const bool ko = lang == Lang::ko;
  const double ratio = static_cast<double>(r.bytes_before) / static_cast<double>(r.bytes_after);
  std::string out = text_of(r.model_type, ", ", r.type, ": ", format_bytes(r.bytes_before), " -> ",
                            format_bytes(r.bytes_after), ", ", fixed(ratio, 2),
                            ko ? "배 작음\n" : " times smaller\n");
  const auto line = [&](const char* name, const std::string& value) {
    out += text_of("  ", name, ": ", value, "\n");
  };
  if (r.loss_before)
    line(ko ? "손실" : "loss", text_of(fixed(*r.loss_before, 4), " -> ", fixed(*r.loss_after, 4)));
  line(ko ? "출력의 차이" : "change of the outputs", fixed(100 * r.divergence.error, 2) + " %");
  if (r.finer)
    line(ko ? "값이 16비트라면" : "with values of 16 bits", fixed(100 * r.finer->error, 2) + " %");
  if (r.divergence.kl) line("KL", fixed(*r.divergence.kl, 6));
  if (r.divergence.first)
    line(ko ? "같은 첫 선택" : "equal first choices", fixed(100 * *r.divergence.first, 1) + " %");
  line(ko ? "잰 곳" : "measured on", r.measured_on);
  if (!r.wide.names.empty()) out += wide_lines(r.wide, ko);
  const bool outputs = !r.layers.empty() && r.layers[0].output;
  if (outputs)
    out += ko ? "  출력이 가장 많이 달라진 층:\n" : "  layers whose outputs changed most:\n";
  else
    out += ko ? "  가장 많이 달라진 층:\n" : "  layers that changed most:\n";
  for (size_t i = 0; i < std::min(kWorst, r.layers.size()); ++i) out += layer_line(r.layers[i], ko);
  out.pop_back();
  return out;
}

}  // namespace jogak
