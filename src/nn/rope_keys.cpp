// RoPE as configurations have it.
#include <string>

#include "nn/config_keys.h"
#include "nn/rope.h"

namespace jogak {
namespace {

constexpr struct {
  const char* name;
  RopeKind kind;
} kKinds[] = {{"default", RopeKind::plain},
              {"linear", RopeKind::linear},
              {"dynamic", RopeKind::dynamic},
              {"yarn", RopeKind::yarn},
              {"llama3", RopeKind::llama3}};

double positive(const Fields& f, std::string_view key, double value) {
  if (!(value > 0)) f.wrong(place_of(f, key), key, "a positive number");
  return value;
}

RopeKind read_kind(const Fields& f) {
  const char* const key = f.has("rope_type") ? "rope_type" : "type";
  const std::string name = f.text_or(key, "default");
  for (const auto& known : kKinds)
    if (name == known.name) return known.kind;
  f.wrong(f.at(key), key, "default, linear, dynamic, yarn or llama3");
}

void read_yarn(const Fields& f, RopeConfig& r) {
  r.attention_factor = f.number_or("attention_factor", 0);
  r.mscale = f.number_or("mscale", 0), r.mscale_all = f.number_or("mscale_all_dim", 0);
  r.beta_fast = positive(f, "beta_fast", f.number_or("beta_fast", r.beta_fast));
  r.beta_slow = positive(f, "beta_slow", f.number_or("beta_slow", r.beta_slow));
  r.truncate = f.flag_or("truncate", true);
}

void read_llama3(const Fields& f, RopeConfig& r) {
  r.low_freq = positive(f, "low_freq_factor", f.number("low_freq_factor"));
  r.high_freq = f.number("high_freq_factor");
  if (!(r.high_freq > r.low_freq))
    f.wrong(f.at("high_freq_factor"), "high_freq_factor", "a number above low_freq_factor");
}

}  // namespace

RopeConfig read_rope(const Fields& top, int64_t positions) {
  const Json none = Json::object();
  const auto given = [&](const char* key) {
    return top.has(key) && !(top.at(key).is_object() && top.at(key).members().empty());
  };
  const char* const key = given("rope_scaling")      ? "rope_scaling"
                          : given("rope_parameters") ? "rope_parameters"
                                                     : nullptr;
  const Fields f = key ? top.object(key) : Fields(none, top.file());
  RopeConfig r;
  r.kind = read_kind(f);
  r.theta = f.has("rope_theta") ? f.number("rope_theta") : top.number_or("rope_theta", r.theta);
  if (!(r.theta > 1)) {
    const Fields& from = f.has("rope_theta") ? f : top;
    from.wrong(from.at("rope_theta"), "rope_theta", "a number above 1");
  }
  for (const Fields* at : {&f, &top})
    if (at->number_or("partial_rotary_factor", 1) != 1)
      at->wrong(at->at("partial_rotary_factor"), "partial_rotary_factor", "1: whole heads turn");
  constexpr const char* kOriginal = "original_max_position_embeddings";
  r.original = positions;
  if (r.kind == RopeKind::yarn || r.kind == RopeKind::llama3)
    r.original = top.has(kOriginal) ? top.integer(kOriginal, kSize)
                                    : f.integer_or(kOriginal, positions, kSize);
  if (r.kind == RopeKind::plain) return r;
  if (r.kind == RopeKind::yarn && !f.has("factor"))
    r.factor = static_cast<double>(positions) / static_cast<double>(r.original);
  else
    r.factor = positive(f, "factor", f.number("factor"));
  if (r.kind == RopeKind::yarn) read_yarn(f, r);
  if (r.kind == RopeKind::llama3) read_llama3(f, r);
  return r;
}

Json write_rope(const RopeConfig& r) {
  Json json = Json::object();
  for (const auto& known : kKinds)
    if (known.kind == r.kind) json.set("rope_type", known.name);
  json.set("rope_theta", r.theta);
  if (r.kind == RopeKind::plain) return json;
  json.set("factor", r.factor);
  if (r.kind == RopeKind::yarn || r.kind == RopeKind::llama3)
    json.set("original_max_position_embeddings", r.original);
  if (r.kind == RopeKind::llama3)
    json.set("low_freq_factor", r.low_freq).set("high_freq_factor", r.high_freq);
  if (r.kind != RopeKind::yarn) return json;
  if (r.attention_factor != 0) json.set("attention_factor", r.attention_factor);
  if (r.mscale != 0) json.set("mscale", r.mscale);
  if (r.mscale_all != 0) json.set("mscale_all_dim", r.mscale_all);
  json.set("beta_fast", r.beta_fast).set("beta_slow", r.beta_slow).set("truncate", r.truncate);
  return json;
}

}  // namespace jogak
