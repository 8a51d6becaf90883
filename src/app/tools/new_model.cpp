#include "app/tools/new_model.h"

#include "app/models/model.h"
#include "app/models/target.h"
#include "app/models/vocabulary.h"
#include "base/file.h"
#include "tensor/counting_device.h"
#include "text/tokenizer.h"

namespace jogak {

std::vector<Json::Member> parse_settings(const std::vector<std::string>& settings) {
  std::vector<Json::Member> out;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    ensure<UsageError>(equals != std::string::npos && equals > 0, "--set ", setting,
                       ": wanted key=value");
    out.emplace_back(setting.substr(0, equals), parse_setting(setting.substr(equals + 1)));
  }
  return out;
}

ModelInfo make_new_model(const NewModel& c) {
  const bool there = !c.tokenizer.empty() && same_path(c.tokenizer, c.directory);
  const bool brings = !c.tokenizer.empty() && !there;
  TargetDirectory target(
      {c.directory, c.overwrite},
      brings
          ? [](const std::string& name) { return is_model_file(name) || is_tokenizer_file(name); }
          : is_model_file);
  std::vector<Json::Member> settings = parse_settings(c.settings);
  if (!c.tokenizer.empty()) {
    const Tokenizer tokenizer = Tokenizer::load(c.tokenizer);
    for (Json::Member& one :
         vocabulary_settings(tokenizer, family_named(c.family), c.preset, settings))
      settings.push_back(std::move(one));
    if (brings) tokenizer.save(target.path());
  }
  const Json config = preset_config(family_named(c.family), c.preset, settings);
  save_model(new_model(config, c.seed), target.path(), Telling::progress);
  target.finish();
  return model_info(c.directory);
}

std::vector<std::pair<std::string, int64_t>> preset_sizes(const std::string& family_name) {
  const Family& family = family_named(family_name);
  CountingDevice nowhere;  // counts parameters without making them
  std::vector<std::pair<std::string, int64_t>> out;
  for (const Family::Preset& preset : family.presets) {
    const Json config = preset_config(family, preset.name, {});
    out.emplace_back(preset.name, new_model(config, 1, {.device = &nowhere}).store->count());
  }
  return out;
}

}  // namespace jogak
