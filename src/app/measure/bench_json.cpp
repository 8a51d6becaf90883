#include "app/measure/bench.h"

namespace jogak {
namespace {

Json begun(const BenchedModel& m) {
  Json out = Json::object();
  out.set("schema", 1).set("family", m.family).set("parameters", m.parameters);
  out.set("batch", m.batch).set("seq", m.seq).set("steps", m.steps);
  return std::move(out.set("threads", m.threads).set("isa", m.isa).set("dtype", m.dtype));
}

Json json_of(const std::vector<OpCost>& ops) {
  Json out = Json::array();
  for (const OpCost& op : ops) {
    Json one = Json::object();
    one.set("op", op.op).set("calls", op.calls);
    one.set("forward_ms", op.forward_ms).set("backward_ms", op.backward_ms);
    out.push(std::move(one.set("share", op.share)));
  }
  return out;
}

Json json_of(const std::vector<LayerBench>& shapes) {
  Json out = Json::array();
  for (const LayerBench& layer : shapes) {
    Json one = Json::object();
    one.set("rows", layer.rows).set("outputs", layer.outputs).set("inputs", layer.inputs);
    one.set("forward", layer.forward).set("peak", layer.peak);
    if (layer.inputs_gradient > 0) one.set("inputs_gradient", layer.inputs_gradient);
    if (layer.weights_gradient > 0) one.set("weights_gradient", layer.weights_gradient);
    out.push(std::move(one));
  }
  return out;
}

// What `jogak plan --gpu FILE` reads: rows, columns, inner side, share of the peak.
Json gemm_of(const std::vector<LayerBench>& shapes) {
  Json out = Json::array();
  const auto add = [&](int64_t rows, int64_t columns, int64_t inner, double share) {
    if (share <= 0) return;
    Json one = Json::array();
    one.push(rows).push(columns).push(inner).push(share);
    out.push(std::move(one));
  };
  for (const LayerBench& layer : shapes) {
    add(layer.rows, layer.outputs, layer.inputs, layer.forward / layer.peak);
    add(layer.rows, layer.inputs, layer.outputs, layer.inputs_gradient / layer.peak);
    add(layer.outputs, layer.inputs, layer.rows, layer.weights_gradient / layer.peak);
  }
  return out;
}

}  // namespace

Json to_json(const TrainBench& b) {
  Json out = begun(b.model);
  if (b.recompute) out.set("recompute", true);
  out.set("ms_per_step", b.ms_per_step).set("ms_per_step_best", b.ms_per_step_best);
  out.set("examples_per_s", b.examples_per_s);
  if (b.tokens_per_s) out.set("tokens_per_s", *b.tokens_per_s);
  out.set("peak_rss_mb", b.peak_rss_mb);
  if (b.peak_device_mb) out.set("peak_device_mb", *b.peak_device_mb);
  if (!b.profile) return out;
  out.set("matrix_products_share", b.profile->matrix_products_share);
  return std::move(out.set("profile", json_of(b.profile->ops)));
}

Json to_json(const ForwardBench& b) {
  Json out = begun(b.model);
  out.set("ms_per_pass", b.ms_per_pass).set("ms_per_pass_best", b.ms_per_pass_best);
  out.set("gflop_per_pass", b.gflop).set("gflops", 1e3 * b.gflop / b.ms_per_pass);
  out.set("gflops_best", 1e3 * b.gflop / b.ms_per_pass_best);
  return std::move(out.set("examples_per_s", b.examples_per_s).set("peak_rss_mb", b.peak_rss_mb));
}

Json to_json(const GenerateBench& b) {
  Json out = begun(b.model);
  out.set("prefill_tokens_per_s", b.prefill_tokens_per_s);
  out.set("decode_tokens_per_s", b.decode_tokens_per_s).set("first_token_ms", b.first_token_ms);
  if (b.reading) {
    out.set("weight_bytes_per_token", b.reading->weight_bytes_per_token);
    out.set("weight_gb_s", b.reading->weight_gb_s).set("read_gb_s", b.reading->read_gb_s);
    out.set("bandwidth_share", b.reading->bandwidth_share);
    out.set("weight_gb_s_best", b.reading->weight_gb_s_best);
    out.set("read_gb_s_best", b.reading->read_gb_s_best);
  }
  return std::move(out.set("peak_rss_mb", b.peak_rss_mb));
}

Json to_json(const TranslateBench& b) {
  Json out = begun(b.model);
  out.set("beams", b.beams).set("seconds", b.seconds).set("tokens_per_s", b.tokens_per_s);
  return std::move(out.set("peak_rss_mb", b.peak_rss_mb));
}

Json to_json(const MachineBench& b) {
  Json out = Json::object();
  out.set("schema", 1).set("threads", b.threads).set("isa", b.isa);
  out.set("gflops_f32", b.gflops_f32).set("gflops_bf16", b.gflops_bf16);
  if (b.gops_int8 > 0) out.set("gops_int8", b.gops_int8);
  out.set("read_gb_s", b.read_gb_s);
  if (!b.dtype.empty()) out.set("dtype", b.dtype);
  if (!b.shapes.empty()) out.set("shapes", json_of(b.shapes)).set("gemm", gemm_of(b.shapes));
  return out;
}

}  // namespace jogak
