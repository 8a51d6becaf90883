// Phi-3 and Phi-4: LLaMA with fused projections, parts of heads that rotate, windows, and positions
// that are stretched pair by pair.
#include "models/decoders/rotary_keys.h"

namespace jogak {
namespace {

struct Phi3Config : RotaryDecoderConfig {
  Phi3Config() {
    vocab = 32064, context = 4096, width = 3072, inner = 8192, eps = 1e-5;
    fused = true;
  }
  static const ConfigTable<Phi3Config>& table();
};

void read_phi3_window(const Fields& f, Phi3Config& c) {
  read_window(f, c, 0);
  c.kinds.assign(static_cast<size_t>(c.layers), {.local = c.window > 0});
}

// Only these two kinds; "su" and "yarn" are what older files call the second.
void read_phi3_rope(const Fields& f, Phi3Config& c) {
  Json json = f.json();
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (!f.has(key)) continue;
    Json own = f.object(key).json();
    for (const char* kind : {"type", "rope_type"})
      if (const Json* name = own.find(kind); name && name->is_string()) {
        if (name->text() == "su" || name->text() == "yarn")
          own.set(kind, "longrope");
        else if (name->text() != "longrope" && name->text() != "default")
          f.object(key).wrong(*name, kind, "\"default\" or \"longrope\"");
      }
    json.set(key, own);
  }
  if (!json.find("original_max_position_embeddings"))
    json.set("original_max_position_embeddings", 4096);
  c.rope = read_rope(Fields(json, f.file()), c.context, {.longrope = true, .partial = true});
  const auto pairs = static_cast<size_t>(c.rope.width(c.head) / 2);
  if (c.rope.kind == RopeKind::longrope &&
      (c.rope.short_factors.size() != pairs || c.rope.long_factors.size() != pairs))
    f.wrong(f.json(), "short_factor", text_of(pairs, " numbers, and as many in long_factor"));
}

void write_phi3_rope(const Phi3Config& c, Json& json) {
  json.set("rope_parameters", write_rope(c.rope));
  json.set("original_max_position_embeddings", c.rope.original);
}

const ConfigTable<Phi3Config>& Phi3Config::table() {
  using C = Phi3Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = with_rows(
      rotary_rows<C>(),
      {K::rate("resid_pdrop", &C::resid_drop), K::rate("embd_pdrop", &C::embd_drop),
       K::together({"rope_parameters", "original_max_position_embeddings"}, read_phi3_rope,
                   write_phi3_rope),
       even_head_rule<C>(), K::together({"sliding_window"}, read_phi3_window, write_window<C>),
       pad_row<C>(32000)});
  return keys;
}

}  // namespace

Family phi3_family() {
  Family record = rotary_record("phi3", "Phi3ForCausalLM", {{"pad_token_id", Json()}});
  record.lora_targets = {"qkv_proj"};
  return decoder_family<RotaryDecoderOf<Phi3Config>>(std::move(record));
}

}  // namespace jogak
