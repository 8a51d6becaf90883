// Mixtral: Mistral in which every layer has several feed-forwards, and each token goes to two.
#include "models/decoders/rotary_keys.h"

namespace jogak {
namespace {

struct MixtralConfig : RotaryDecoderConfig {
  double balance_share = 0.001;  // of the loss, where it counts
  MixtralConfig() {
    context = 131072, inner = 14336, kv_heads = 8, eps = 1e-5;
    experts = 8, chosen = 2;
  }
  static const ConfigTable<MixtralConfig>& table();
};

void read_mixtral_window(const Fields& f, MixtralConfig& c) {
  read_window(f, c, 0);
  c.kinds.assign(static_cast<size_t>(c.layers), {.local = c.window > 0});
}

void check_experts(const Fields& f, MixtralConfig& c) {
  if (c.chosen > c.experts)
    f.wrong(place_of(f, "num_experts_per_tok"), "num_experts_per_tok",
            text_of("at most num_local_experts, ", c.experts));
  if (f.has("router_jitter_noise") && f.number_or("router_jitter_noise", 0) != 0)
    f.wrong(f.at("router_jitter_noise"), "router_jitter_noise", "0: routers are not disturbed");
}

// transformers counts the loss where it is told to show what the routers say.
void read_balance(const Fields& f, MixtralConfig& c) {
  c.balance_share = f.number_or("router_aux_loss_coef", c.balance_share);
  c.balance = f.flag_or("output_router_logits", false) ? c.balance_share : 0;
}

void write_balance(const MixtralConfig& c, Json& json) {
  json.set("output_router_logits", c.balance > 0).set("router_aux_loss_coef", c.balance_share);
}

const ConfigTable<MixtralConfig>& MixtralConfig::table() {
  using C = MixtralConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = with_rows(
      rotary_rows<C>({.kv_heads = 8}),
      {K::rope(&C::rope, &C::context, {.theta = 1000000}), even_head_rule<C>(),
       K::together({"sliding_window"}, read_mixtral_window, write_window<C>),
       K::size("num_local_experts", &C::experts, {1, 1 << 12}).also("num_experts"),
       K::size("num_experts_per_tok", &C::chosen, {1, 1 << 12}), K::rule(check_experts),
       K::together({"output_router_logits", "router_aux_loss_coef"}, read_balance, write_balance),
       pad_row<C>()});
  return keys;
}

}  // namespace

Family mixtral_family() {
  Family record = rotary_record("mixtral", "MixtralForCausalLM", {{"num_local_experts", 4}});
  // As newer versions of transformers name the same inside.
  record.names.spellings = {{".block_sparse_moe.", ".mlp."}};
  return decoder_family<RotaryDecoderOf<MixtralConfig>>(std::move(record));
}

}  // namespace jogak
