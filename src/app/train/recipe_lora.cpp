#include "app/train/recipe_lora.h"

#include "app/models/adapter.h"
#include "base/file.h"

namespace jogak {
namespace {

// What the data's labels are read off learns as it is: fresh, it is nothing to adapt.
std::vector<std::string> head_layers(const Family& family, const std::string& data_kind) {
  for (const Family::Head& head : family.heads)
    if ((head.task == EncoderTask::classify && data_kind == "labels") ||
        (head.task == EncoderTask::tag && data_kind == "tags"))
      return head.learn_whole;
  return {};
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

}  // namespace jogak
