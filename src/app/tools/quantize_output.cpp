#include <algorithm>

#include "app/tools/quantize.h"
#include "base/format.h"

namespace jogak {

Json to_json(const QuantizeReport& r) {
  Json out = Json::object(), layers = Json::array();
  const auto set = [&](const char* key, const std::optional<double>& value) {
    out.set(key, value ? Json(*value) : Json());
  };
  out.set("schema", 1).set("model_type", r.model_type).set("type", r.type).set("group", r.group);
  out.set("bytes_before", r.bytes_before).set("bytes_after", r.bytes_after);
  set("loss_before", r.loss_before);
  set("loss_after", r.loss_after);
  out.set("measured_on", r.measured_on).set("output_error", r.divergence.error);
  set("kl", r.divergence.kl);
  set("equal_first", r.divergence.first);
  for (const QuantizedLayer& layer : r.layers) {
    Json one = Json::object();
    one.set("name", layer.name).set("bits", layer.bits).set("error", layer.error);
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
  if (r.divergence.kl) line("KL", fixed(*r.divergence.kl, 6));
  if (r.divergence.first)
    line(ko ? "같은 첫 선택" : "equal first choices", fixed(100 * *r.divergence.first, 1) + " %");
  line(ko ? "잰 곳" : "measured on", r.measured_on);
  out += ko ? "  가장 많이 달라진 층:\n" : "  layers that changed most:\n";
  for (size_t i = 0; i < std::min(kWorst, r.layers.size()); ++i)
    out += text_of("    ", fixed(100 * r.layers[i].error, 2), " %  ", r.layers[i].bits,
                   ko ? "비트  " : " bits  ", r.layers[i].name, "\n");
  out.pop_back();
  return out;
}

}  // namespace jogak
