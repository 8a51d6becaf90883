// RoPE as configurations have it.
#include <string>

#include "nn/config_keys.h"
#include "nn/rope.h"

namespace jogak {
namespace {

constexpr struct {
  const char* name;
  RopeKind kind;
} kKinds[] = {{"default", RopeKind::plain},   {"linear", RopeKind::linear},
              {"dynamic", RopeKind::dynamic}, {"yarn", RopeKind::yarn},
              {"llama3", RopeKind::llama3},   {"longrope", RopeKind::longrope}};

double positive(const Fields& f, std::string_view key, double value) {
  if (!(value > 0)) f.wrong(place_of(f, key), key, "a positive number");
  return value;
}

RopeKind read_kind(const Fields& f, bool longrope) {
  const char* const key = f.has("rope_type") ? "rope_type" : "type";
  const std::string name = f.text_or(key, "default");
  for (const auto& known : kKinds)
    if (name == known.name && (known.kind != RopeKind::longrope || longrope)) return known.kind;
  f.wrong(f.at(key), key, "default, linear, dynamic, yarn or llama3");
}

std::vector<double> read_factors(const Fields& f, const char* key) {
  std::vector<double> out;
  for (const Json& one : f.list(key)) {
    if (!one.is_number() || !(one.number() > 0))
      f.wrong(one, key, "a positive number for each pair");
    out.push_back(one.number());
  }
  return out;
}

void read_longrope(const Fields& f, int64_t positions, RopeConfig& r) {
  r.short_factors = read_factors(f, "short_factor"),
  r.long_factors = read_factors(f, "long_factor");
  r.factor = static_cast<double>(positions) / static_cast<double>(r.original);
  r.factor = positive(f, "factor", f.number_or("factor", r.factor));
  r.attention_factor = f.number_or("attention_factor", 0);
}

void read_yarn(const Fields& f, RopeConfig& r, const RopeUsage& usage) {
  r.attention_factor = f.number_or("attention_factor", 0);
  r.mscale = f.number_or("mscale", 0), r.mscale_all = f.number_or("mscale_all_dim", 0);
  r.beta_fast = positive(f, "beta_fast", f.number_or("beta_fast", r.beta_fast));
  r.beta_slow = positive(f, "beta_slow", f.number_or("beta_slow", r.beta_slow));
  r.truncate = f.flag_or("truncate", true);
  if (!r.truncate && usage.by_kind)
    f.wrong(f.at("truncate"), "truncate", "true: transformers reads no other for kinds of layers");
}

void read_llama3(const Fields& f, RopeConfig& r) {
  r.low_freq = positive(f, "low_freq_factor", f.number("low_freq_factor"));
  r.high_freq = f.number("high_freq_factor");
  if (!(r.high_freq > r.low_freq))
    f.wrong(f.at("high_freq_factor"), "high_freq_factor", "a number above low_freq_factor");
}

// How many elements of each head rotate, as a part of them.
double read_part(const Fields& f, const Fields& top, const RopeUsage& usage) {
  constexpr const char* kKey = "partial_rotary_factor";
  const bool inside = f.has(kKey);
  const Fields& from = inside ? f : top;
  const char* const key = inside ? kKey : usage.part_key;
  const double part = from.number_or(key, usage.part);
  if (!usage.partial && part != 1) from.wrong(from.at(key), key, "1: whole heads rotate");
  if (!(part > 0 && part <= 1)) from.wrong(from.at(key), key, "a number above 0, up to 1");
  return part;
}

double read_theta(const Fields& f, const Fields& top, const RopeUsage& usage) {
  const bool inside = f.has("rope_theta");
  const Fields& from = inside ? f : top;
  const char* const key = inside ? "rope_theta" : usage.theta_key;
  const double theta = from.number_or(key, usage.theta);
  if (!(theta > 1)) from.wrong(from.at(key), key, "a number above 1");
  return theta;
}

}  // namespace

RopeConfig read_rope(const Fields& top, int64_t positions, const RopeUsage& usage) {
  const Json none = Json::object();
  const auto given = [&](const char* key) {
    return top.has(key) && !(top.at(key).is_object() && top.at(key).members().empty());
  };
  const char* const key = given("rope_scaling")      ? "rope_scaling"
                          : given("rope_parameters") ? "rope_parameters"
                                                     : nullptr;
  const Fields f = key ? top.object(key) : Fields(none, top.file());
  RopeConfig r;
  r.kind = read_kind(f, usage.longrope);
  // There "rope_type" is "default" before this object is laid over it, and its "type" is passed by.
  if (usage.by_kind && given("rope_scaling") && !f.has("rope_type") && r.kind != RopeKind::plain)
    f.wrong(f.at("type"), "type", "\"rope_type\": of kinds of layers transformers reads no other");
  r.theta = read_theta(f, top, usage), r.part = read_part(f, top, usage);
  r.usual_part = usage.part;
  constexpr const char* kOriginal = "original_max_position_embeddings";
  r.original = positions;
  if (r.kind == RopeKind::yarn || r.kind == RopeKind::llama3 || r.kind == RopeKind::longrope)
    r.original = top.has(kOriginal) ? top.integer(kOriginal, kSize)
                                    : f.integer_or(kOriginal, positions, kSize);
  if (r.kind == RopeKind::plain) return r;
  if (r.kind == RopeKind::longrope) {
    read_longrope(f, positions, r);
    return r;
  }
  const Json* const factor = f.json().find("factor");
  if (r.kind == RopeKind::yarn && factor && factor->is_null())
    r.factor = static_cast<double>(positions) / static_cast<double>(r.original);
  else
    r.factor = positive(f, "factor", f.number("factor"));
  if (r.kind == RopeKind::yarn) read_yarn(f, r, usage);
  if (r.kind == RopeKind::llama3) read_llama3(f, r);
  return r;
}

Json write_rope(const RopeConfig& r) {
  Json json = Json::object();
  for (const auto& known : kKinds)
    if (known.kind == r.kind) json.set("rope_type", known.name);
  json.set("rope_theta", r.theta);
  if (r.part != 1 || r.usual_part != 1) json.set("partial_rotary_factor", r.part);
  if (r.kind == RopeKind::plain) return json;
  json.set("factor", r.factor);
  if (r.kind == RopeKind::yarn || r.kind == RopeKind::llama3 || r.kind == RopeKind::longrope)
    json.set("original_max_position_embeddings", r.original);
  if (r.kind == RopeKind::longrope) {
    json.set("short_factor", Json::list(r.short_factors));
    json.set("long_factor", Json::list(r.long_factors));
    if (r.attention_factor != 0) json.set("attention_factor", r.attention_factor);
  }
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
