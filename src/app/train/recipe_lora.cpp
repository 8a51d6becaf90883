#include "app/train/recipe_lora.h"

#include <algorithm>
#include <set>

#include "app/models/adapter.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/terminal.h"

namespace jogak {
namespace {

// What the data's labels are read off learns as it is: fresh, it is nothing to adapt.
std::vector<std::string> head_layers(const Family& family, const std::string& data_kind) {
  for (const Family::Head& head : family.heads)
    if ((head.task == EncoderTask::classify && data_kind == "labels") ||
        (head.task == EncoderTask::tag && data_kind == "tags") ||
        (head.task == EncoderTask::answer && data_kind == "answers"))
      return head.learn_whole;
  return {};
}

// "h.0.attn.c_attn.weight" -> "h.0.attn.c_attn"
std::string layer_of(const std::string& parameter, std::string_view ending) {
  return parameter.ends_with(ending) ? parameter.substr(0, parameter.size() - ending.size()) : "";
}

// The last part of every matrix's name: what could be adapted, to suggest from.
std::vector<std::string> layer_names(const ParamStore& store) {
  std::set<std::string> out;
  const auto add = [&](const std::string& parameter) {
    const std::string layer = layer_of(parameter, ".weight");
    if (!layer.empty()) out.insert(layer.substr(layer.rfind('.') + 1));
  };
  for (const Param& p : store.all()) {
    if (store.is_adapter(p) || p.value.rank() != 2) continue;
    if (p.parts.empty()) add(p.name);
    for (const ParamPart& part : p.parts) add(part.name);
  }
  return {out.begin(), out.end()};
}

}  // namespace

LoraConfig recipe_lora(const Recipe& r) {
  LoraConfig out;
  if (r.train.lora_rank == 0) return out;
  ensure<UsageError>(!r.model.from.empty(), "train.lora_rank adapts a model that is there: name ",
                     "its directory, model.from");
  const std::string file = join_path(r.model.from, "config.json");
  const Family& family = family_of(read_json_file(file), file);
  out.rank = r.train.lora_rank;
  out.alpha = r.train.lora_alpha > 0 ? r.train.lora_alpha : 2 * static_cast<double>(out.rank);
  out.seed = r.train.seed;
  out.targets = r.train.lora_targets.empty() ? adapted_family(family.model_type).lora_targets
                                             : split_list(r.train.lora_targets);
  out.whole = head_layers(family, r.data.kind);
  return out;
}

void check_targets(const LoraConfig& lora, const ParamStore& store) {
  for (const std::string& target : lora.targets) {
    const bool found = std::any_of(store.all().begin(), store.all().end(), [&](const Param& p) {
      return store.is_adapter(p) &&
             LoraConfig::is_named(layer_of(p.name, ".lora_A.weight"), {target});
    });
    ensure<UsageError>(found, "train.lora_targets: the model has no layer ", quoted(target),
                       " that takes adapters", did_you_mean(target, layer_names(store)));
  }
}

}  // namespace jogak
