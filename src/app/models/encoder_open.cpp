#include "app/models/encoder_open.h"

#include <algorithm>

#include "base/file.h"
#include "base/listing.h"
#include "base/log.h"
#include "base/suggest.h"
#include "nn/names.h"

namespace jogak {
namespace {

bool belongs_to_a_head(const std::string& name, const Family& family) {
  return std::any_of(family.head_weights.begin(), family.head_weights.end(),
                     [&](const std::string& pattern) { return matches(pattern, name); });
}

// The changes, with the class of transformers that has the family's head for the task.
std::vector<Json::Member> for_task(const Family& family, EncoderTask task,
                                   const std::vector<Json::Member>& changes) {
  std::vector<Json::Member> out;
  for (const Family::Head& head : family.heads)
    if (head.task == task) out.emplace_back("architectures", Json::array({head.architecture}));
  out.insert(out.end(), changes.begin(), changes.end());
  return out;
}

// The directory's weights in a model of the changed configuration.
EncoderStart adopted(const Model& old, const Json& config, uint64_t seed, ModelPlace place,
                     const std::string& directory) {
  EncoderStart out{new_model(config, seed, place), {}};
  const Family& family = family_of(config, directory);
  out.model.store->assign([&](const Param& p) {
    const Param* const before = old.store->find(p.name);
    if (before && before->value.shape() == p.value.shape()) return before->value;
    ensure<UsageError>(belongs_to_a_head(p.name, family), directory, ": ", p.name, " is ",
                       before ? text_of(before->value.shape()) : "missing", ", this data wants ",
                       p.value.shape());
    out.renewed.push_back(p.name);
    return clone(p.value);
  });
  return out;
}

}  // namespace

std::vector<Json::Member> label_settings(const std::vector<std::string>& classes) {
  ensure<UsageError>(classes.size() >= 2, "found ", classes.size(),
                     " class in the data, wanted at least two to tell apart");
  Json names = Json::object(), ids = Json::object();
  for (size_t i = 0; i < classes.size(); ++i) {
    names.set(std::to_string(i), classes[i]);
    ids.set(classes[i], static_cast<int64_t>(i));
  }
  return {{"id2label", std::move(names)}, {"label2id", std::move(ids)}};
}

EncoderStart start_encoder(const Recipe& r, EncoderTask task,
                           const std::vector<Json::Member>& changes, ModelPlace place) {
  if (r.model.from.empty()) {
    const Family& family = family_named(r.model.family);
    std::vector<Json::Member> settings = r.model.settings;
    for (Json::Member& change : for_task(family, task, changes))
      settings.push_back(std::move(change));
    return {new_model(recipe_config(r.model, settings), r.train.seed, place), {}};
  }
  const Model old = open_model(r.model.from, place);
  ensure<UsageError>(old.encodes(), r.model.from, ": a ", old.model_type,
                     " model does not learn from data.kind = \"", r.data.kind, "\"");
  Json config = with_settings(old.config, r.model.settings, r.model.from);
  for (const auto& [key, value] : for_task(family_of(config, r.model.from), task, changes))
    config.set(key, value);
  EncoderStart out = adopted(old, config, r.train.seed, place, r.model.from);
  if (place.lora.rank > 0) {  // adapters are opened over the directory as it is
    ensure<UsageError>(out.renewed.empty(), r.model.from, ": has no head for this data (",
                       out.renewed.empty() ? "" : out.renewed[0],
                       "), which adapters need; train without them first");
    out.model.base = r.model.from;
  }
  const bool counts_only = out.model.store->device().kind() == Device::Kind::deferred;
  if (!out.renewed.empty() && !counts_only)  // said when it comes true
    log_info(r.model.from, ": these weights start anew: ", first_of(out.renewed));
  return out;
}

}  // namespace jogak
